-- The job that an earlier add under this id made, or changed where it was debounced; null when there was none.
create or replace function lockstep.job_of_add(p_id uuid)
returns uuid
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
as $$
  select j.id from lockstep.jobs j where j.id = p_id
  union all
  select f.id
  from lockstep.finished_jobs f
  where f.pipeline_id = any (array(select p.id from lockstep.pipelines p)) and f.id = p_id
  union all
  select d.job_id from lockstep.debounced_adds d where d.id = p_id
  limit 1;
$$;
