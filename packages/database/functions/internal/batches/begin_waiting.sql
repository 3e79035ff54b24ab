-- Ends the attempt of a job that has just fanned out and waits in the same stage for what its children return. The caller has locked the
-- job and checked its claim.
create or replace function lockstep.begin_waiting(p_id uuid, p_batch_id uuid, p_log jsonb, p_now timestamptz)
returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_job lockstep.jobs;
begin
  update lockstep.batches b set closed_at = p_now where b.id = p_batch_id;
  select j.* into v_job from lockstep.jobs j where j.id = p_id;
  update lockstep.jobs j
  set status = 'scheduled',
      waits_for = p_batch_id,
      position = null,
      ready_at = p_now,
      scheduled_for = null,
      claim_token = null,
      worker_id = null,
      held_by = null,
      claimed_at = null,
      counted = false,
      start_by = null,
      log = null,
      history = lockstep.with_ended_attempt(j.history, (
        j.stage_id, j.attempt, 'branched', j.claim_token, j.worker_id, j.claimed_at, p_now,
        lockstep.attempt_detail(null, coalesce(p_log, j.log))
      )::lockstep.ended_attempt)
  where j.id = p_id;
  insert into lockstep.stage_moves (at, stage_id, moved_from, moved_to, run_bucket, jobs, wakes_for)
  -- the limits of the stage may have room again
  values (p_now, v_job.stage_id, 'processing', 'scheduled', -3, 1, case when v_job.counted then 0 end);
  if v_job.counted then
    perform lockstep.settle_budgets(array[(
      v_job.id, v_job.pipeline_id, v_job.stage_id, null, 'processing', 'branched', v_job.attempt,
      v_job.owner, v_job.group_key, v_job.batch_id, true, null
    )::lockstep.job_move]);
  end if;
  if v_job.noted then
    perform lockstep.log_moves(array[(
      v_job.id, v_job.pipeline_id, v_job.stage_id, null, 'processing', 'branched', v_job.attempt,
      v_job.owner, v_job.group_key, v_job.batch_id, false, null
    )::lockstep.job_move], p_now);
  end if;
end;
$$;
