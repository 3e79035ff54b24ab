-- The millisecond of an id, as far as ids tell time: the other way round than id_at.
create or replace function lockstep.ms_of_id(p_id uuid)
returns bigint
language sql
immutable
security definer
set search_path = pg_catalog, pg_temp
as $$
  select ('x' || substr(p_id::text, 1, 8) || substr(p_id::text, 10, 4))::bit(48)::bigint;
$$;
