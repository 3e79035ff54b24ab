-- signal_job without its record. Locks the job's row first, so that a signal, a timeout, a cancel and a settle come one after the other.
create or replace function lockstep.take_signal(
  p_id uuid,
  p_name text,
  p_value jsonb,
  p_by text,
  p_if_version text,
  p_if_shown jsonb,
  p_now timestamptz
)
returns text
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_job record;
  v_wait record;
  v_version text;
begin
  -- Locks the row, live or finished.
  v_version := lockstep.lock_job_version(p_id);
  if v_version is null then
    return 'not_found';
  end if;
  select j.pipeline_id, j.stage_id, j.status, j.scheduled_for, j.owner, j.noted, j.added_at, false as is_finished into v_job
  from lockstep.jobs j
  where j.id = p_id;
  if not found then
    select f.pipeline_id, f.stage_id, f.status, null::timestamptz as scheduled_for, f.owner, false as noted, f.added_at, true as is_finished into v_job
    from lockstep.finished_jobs f
    where f.pipeline_id = any (array(select p.id from lockstep.pipelines p)) and f.id = p_id;
  end if;

  select s.id, s.name, s.ordinal, s.paused_at, s.signal_schema, s.signal_predicate, s.not_by_owner into v_wait
  from lockstep.stages s
  where s.pipeline_id = v_job.pipeline_id and s.name = p_name and s.kind = 'wait';
  if not found then
    return 'no_such_wait';
  end if;
  perform lockstep.refuse_invalid_signal(p_id, v_wait.name, v_wait.signal_schema, v_wait.signal_predicate, p_value, p_by);

  if v_wait.not_by_owner and (p_by is null or p_by = v_job.owner) then
    return 'not_allowed';
  elsif exists (
    select from lockstep.signals g where g.job_id = p_id and g.name = v_wait.name and g.job_added_at = v_job.added_at
  ) then
    return 'already_signalled';
  elsif v_job.is_finished then
    return 'already_finished';
  elsif p_if_version is not null and p_if_version <> v_version then
    return 'changed';
  elsif p_if_shown is not null and (
    lockstep.shown_hash(p_id, array(select jsonb_array_elements_text(p_if_shown -> 'stages'))) = p_if_shown ->> 'hash'
  ) is not true then
    return 'changed';
  end if;

  if v_job.stage_id <> v_wait.id and not lockstep.is_ahead(v_job.stage_id, v_wait.id) then
    -- a wait that is no longer part of the pipeline is not one that the job has gone past
    return case when v_wait.ordinal is null then 'no_such_wait' else 'timed_out' end;
  end if;

  insert into lockstep.signals as g (job_id, name, job_added_at, pipeline_id, value, sent_at, sent_by, looked_at)
  values (p_id, v_wait.name, v_job.added_at, v_job.pipeline_id, p_value, p_now, p_by, p_now)
  on conflict (job_id, name) do update    -- of an earlier job with this id
  set job_added_at = excluded.job_added_at, pipeline_id = excluded.pipeline_id, value = excluded.value, sent_at = excluded.sent_at,
      sent_by = excluded.sent_by, taken_at = null, looked_at = excluded.looked_at;

  -- Without a time it still waits for its children.
  if v_job.stage_id <> v_wait.id or v_wait.paused_at is not null or v_job.scheduled_for is null then
    -- When a paused wait is resumed, jobs that are due come first (end_due_waits).
    update lockstep.jobs j
    set scheduled_for = p_now
    where j.id = p_id and j.stage_id = v_wait.id and j.scheduled_for > p_now;
    if v_job.noted then
      perform lockstep.log_event(p_id, 'job.signal_kept', jsonb_build_object('signal', v_wait.name, 'by', p_by), p_now);
    end if;
    return 'kept';
  end if;
  update lockstep.signals g set taken_at = p_now where g.job_id = p_id and g.name = v_wait.name;
  perform lockstep.note_moves(lockstep.pass_waits(array[p_id], 'signalled', array[p_value], array[p_by], p_now), p_now);
  return 'signalled';
end;
$$;
