-- add_jobs for jobs that all have an id which was drawn for this call and is sent for the first time. No finished job can have such an id,
-- and without that lookup the call takes a quarter less time. A caller that sends jobs again must use add_jobs.
create or replace function lockstep.add_new_jobs(
  p_jobs jsonb,
  p_payloads_are_checked boolean default false,
  p_now timestamptz default clock_timestamp()
)
returns table (id uuid, created boolean, status lockstep.job_status)
language sql
security definer
set search_path = pg_catalog, pg_temp
as $$
  select a.id, a.created, a.status from lockstep.add_given_jobs(p_jobs, true, p_payloads_are_checked, p_now) a;
$$;
