-- Replaces the data and the time of a debounced job, which no worker has had yet, with those of a later add of its key. Returns whether it
-- did: a job that was claimed, has finished, was retried by a person or is of another pipeline or owner stays as it is. The job stays
-- in its batch.
create or replace function lockstep.replace_waiting_job(
  p_id uuid,
  p_job jsonb,
  p_scheduled_for timestamptz,
  p_now timestamptz
)
returns boolean
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_old lockstep.jobs;
  v_new record;
begin
  -- A claim that commits first wins, since PostgreSQL checks the condition again once the row is locked.
  select j.* into v_old
  from lockstep.jobs j
  where j.id = p_id and j.status in ('scheduled', 'pending') and j.history is null and j.waits_for is null
    and j.pipeline_id = (select p.id from lockstep.pipelines p where p.name = p_job ->> 'pipeline')
    and coalesce(j.owner, '') = coalesce(p_job ->> 'owner', '')
  for update;
  if not found then
    return false;
  end if;

  select g.* into v_new
  from lockstep.given_jobs(
    jsonb_build_array(p_job || jsonb_build_object('scheduledFor', p_scheduled_for)),
    array[p_job ->> 'pipeline'], array[v_old.pipeline_id], array[v_old.stage_id], '{}', p_now
  ) g;

  perform lockstep.leave_budgets(array[p_id]);
  update lockstep.jobs j
  set payload = v_new.payload,
      priority = v_new.priority,
      tags = v_new.tags,
      group_key = v_new.group_key,
      start_by = v_new.start_by,
      trace = v_new.trace,
      scheduled_for = v_new.scheduled_for,
      ready_at = v_new.ready_at,
      status = v_new.status,
      -- In a new line it needs a new position: with the old one it might be at a place that workers have already passed.
      position = case
        when v_new.status = 'scheduled' then null
        when v_old.status = 'pending' and v_old.priority = v_new.priority and v_old.group_key is not distinct from v_new.group_key
          then v_old.position
        else nextval('lockstep.job_positions') end
  where j.id = p_id;

  if v_new.status <> v_old.status then
    insert into lockstep.stage_moves (at, stage_id, moved_from, moved_to, jobs, wakes_for)
    values (
      p_now, v_old.stage_id, v_old.status::text, v_new.status::text, 1, case when v_new.status = 'pending' then 1 end
    );
    if v_old.noted then
      perform lockstep.note_moves(array[(
        p_id, v_old.pipeline_id, v_old.stage_id, null, v_old.status::text, v_new.status::text, 0,
        v_old.owner, v_new.group_key, v_old.batch_id, false, null
      )::lockstep.job_move], p_now);
    end if;
  end if;
  return true;
end;
$$;
