-- finish_waiting_jobs for one job.
create or replace function lockstep.finish_waiting_job(
  p_id uuid,
  p_status lockstep.job_status,
  p_error jsonb,
  p_now timestamptz
)
returns void
language sql
security definer
set search_path = pg_catalog, pg_temp
as $$
  select lockstep.finish_waiting_jobs(array[p_id], p_status, p_error, p_now);
$$;
