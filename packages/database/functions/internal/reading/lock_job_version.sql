-- The version of a job, live or finished; null if there is no such job. Locks the row until the transaction ends, so that what the caller
-- does next is done to this version.
create or replace function lockstep.lock_job_version(p_id uuid)
returns text
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_version text;
begin
  -- Twice, since a retry may move the job from finished_jobs back to jobs between the two lookups.
  for v_look in 1..2 loop
    select lockstep.job_version(
      j.status, j.stage_id, j.position, j.attempt, j.losses, j.scheduled_for, j.claimed_at, j.cancel_requested_at, null
    ) into v_version
    from lockstep.jobs j where j.id = p_id for update;
    exit when found;
    select lockstep.job_version(
      f.status, f.stage_id, null, f.attempt, f.losses, f.scheduled_for, f.claimed_at, f.cancel_requested_at, f.finished_at
    ) into v_version
    from lockstep.finished_jobs f
    where f.pipeline_id = any (array(select p.id from lockstep.pipelines p)) and f.id = p_id
    for update;
    exit when found;
  end loop;
  return v_version;
end;
$$;
