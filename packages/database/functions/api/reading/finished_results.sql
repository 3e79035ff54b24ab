-- Which of these jobs are finished, with their results or errors, for callers that wait for results.
create or replace function lockstep.finished_results(p_ids uuid[])
returns table (id uuid, status lockstep.job_status, result jsonb, error jsonb)
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  select f.id, f.status, f.result, f.error
  from lockstep.finished_jobs f
  where f.pipeline_id = any (array(select p.id from lockstep.pipelines p)) and f.id = any (p_ids);
$$;
