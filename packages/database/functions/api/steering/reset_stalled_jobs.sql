-- Sweeps lost workers now. Returns how many jobs were taken back.
create or replace function lockstep.reset_stalled_jobs(p_now timestamptz default clock_timestamp())
returns integer
language sql
security definer
set search_path = pg_catalog, pg_temp
as $$
  select lost_jobs + failed_jobs + cancelled_jobs from lockstep.sweep_lost_workers(p_now => p_now);
$$;
