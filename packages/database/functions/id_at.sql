-- The first id that a job added at this instant can have had, as far as ids tell time: see new_job_id.
create or replace function lockstep.id_at(p_at timestamptz)
returns uuid
language sql
immutable
security definer
set search_path = pg_catalog, pg_temp
as $$
  select rpad(
    lpad(to_hex(least(greatest(floor(extract(epoch from p_at) * 1000), 0), 281474976710655)::bigint), 12, '0'), 32, '0'
  )::uuid;
$$;
