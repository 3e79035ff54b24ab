-- Acts on the counters of a closed batch, whose row the caller has locked. If a child did not complete (p_culprit) and the policy is fail,
-- the parent fails. When all jobs have ended, the job that waits for the batch becomes pending.
create or replace function lockstep.end_batch(p_batch lockstep.batches, p_culprit uuid, p_now timestamptz)
returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_waiting uuid[];    -- jobs that have come to a stage that waits
begin
  if p_culprit is not null and p_batch.on_failure = 'fail' and p_batch.finished_at is null then
    perform lockstep.end_fan_out(p_batch.id, 'failed', lockstep.child_error(p_batch.id, p_culprit), p_now);
  end if;

  -- Reads the counters again, since the cancels above have changed them.
  update lockstep.batches b
  set finished_at = p_now
  where b.id = p_batch.id and b.finished_at is null and b.completed + b.failed + b.cancelled = b.total;
  if not found then
    return;
  end if;

  select array_agg(w.id) into v_waiting
  from (
    select j.id
    from lockstep.jobs j
    join lockstep.stages s on s.id = j.stage_id and s.kind in ('wait', 'sleep')
    where j.waits_for = p_batch.id and j.status = 'scheduled' and j.scheduled_for is null
    for update of j
  ) w;
  if v_waiting is not null then
    perform lockstep.note_moves(lockstep.begin_waits(v_waiting, p_now), p_now);
    return;
  end if;

  with woken as (
    update lockstep.jobs j
    set status = 'pending',
        position = nextval('lockstep.job_positions'),
        ready_at = p_now
    where j.waits_for = p_batch.id and j.status = 'scheduled' and j.scheduled_for is null
    returning j.stage_id
  )
  insert into lockstep.stage_moves (at, stage_id, moved_from, moved_to, jobs, wakes_for)
  select p_now, w.stage_id, 'scheduled', 'pending', 1, 1 from woken w;
end;
$$;
