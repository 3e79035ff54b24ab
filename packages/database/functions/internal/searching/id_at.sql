-- The smallest id that a job added at this millisecond can have, if its id tells the time (new_job_id).
create or replace function lockstep.id_at(p_ms bigint)
returns uuid
language sql
immutable
security definer
set search_path = pg_catalog, pg_temp
as $$
  select rpad(lpad(to_hex(least(greatest(p_ms, 0), 281474976710655)), 12, '0'), 32, '0')::uuid;
$$;
