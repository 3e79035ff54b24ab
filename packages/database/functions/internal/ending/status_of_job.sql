-- The status of a job, live or finished; null if retention has deleted it. One statement, and so one snapshot: a job that finishes
-- meanwhile is seen as live or as finished, never missed.
create or replace function lockstep.status_of_job(p_id uuid)
returns lockstep.job_status
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  select j.status from lockstep.jobs j where j.id = p_id
  union all
  select f.status
  from lockstep.finished_jobs f
  where f.pipeline_id = any (array(select p.id from lockstep.pipelines p)) and f.id = p_id
  limit 1;
$$;
