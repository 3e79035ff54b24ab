-- The millisecond of an id, if the id tells the time: the inverse of id_at.
create or replace function lockstep.ms_of_id(p_id uuid)
returns bigint
language sql
immutable
security definer
set search_path = pg_catalog, pg_temp
as $$
  select ('x' || substr(p_id::text, 1, 8) || substr(p_id::text, 10, 4))::bit(48)::bigint;
$$;
