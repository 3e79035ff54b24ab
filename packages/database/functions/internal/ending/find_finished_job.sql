-- Finds a finished job that is to run again, and locks it. If there is none, the answer says why: not_found or not_finished; or changed, if
-- p_if_version is given and the job has another version by now.
create or replace function lockstep.find_finished_job(
  p_id uuid,
  p_if_version text,
  out answer text,
  out job lockstep.finished_jobs
)
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_version text;
begin
  if p_if_version is not null then
    v_version := lockstep.lock_job_version(p_id);
    if v_version is distinct from p_if_version then
      answer := case when v_version is null then 'not_found' else 'changed' end;
      return;
    end if;
  end if;
  select f.* into job
  from lockstep.finished_jobs f
  where f.pipeline_id = any (array(select p.id from lockstep.pipelines p)) and f.id = p_id
  limit 1
  for update;
  if not found then
    answer := case when exists (select from lockstep.jobs j where j.id = p_id) then 'not_finished' else 'not_found' end;
  end if;
end;
$$;
