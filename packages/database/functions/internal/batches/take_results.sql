-- Gives the results of the children of a finished batch to the job that waits for them. They are the output of the stage that fanned out:
-- the job goes to its next stage, or is completed. A job that was retried in a later stage while children ran again gets the new output
-- and goes on there. The caller has locked the batch, and must pass the moves that it returns to count_batch_moves.
create or replace function lockstep.take_results(p_batch lockstep.batches, p_now timestamptz)
returns lockstep.job_move[]
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_job record;
  v_taken record;
  v_next record;
  v_moves lockstep.job_move[];
begin
  select j.id, j.pipeline_id, j.stage_id, j.ready_at, j.attempt, j.owner, j.group_key, j.batch_id, j.noted, s.name as stage, s.next_stage_id
  into v_job
  from lockstep.jobs j
  join lockstep.stages s on s.id = p_batch.fan_out_stage_id
  where j.waits_for = p_batch.id and j.id = p_batch.waiting_job_id and j.status = 'scheduled' and j.scheduled_for is null
  for update of j;
  if not found then
    return null;
  end if;
  select * into v_taken from lockstep.output_of_children(p_batch);
  if v_taken.error is not null then
    return (select f.moves from lockstep.end_fan_out(p_batch.id, 'failed', v_taken.error, p_now) f);
  end if;

  if v_job.stage_id = p_batch.fan_out_stage_id and v_job.next_stage_id is null then
    v_moves := lockstep.finish_jobs(
      array[(v_job.id, null, 'completed', null, false, null, v_taken.output, null, null, null, null)::lockstep.job_end], p_now
    );
    if v_moves is not null then
      perform lockstep.log_moves(v_moves, p_now);
    end if;
    return v_moves;
  end if;

  -- where it goes on, which may be a stage that waits
  select s.id, s.kind in ('wait', 'sleep') as waits into v_next
  from lockstep.stages s
  where s.id = case when v_job.stage_id = p_batch.fan_out_stage_id then v_job.next_stage_id else v_job.stage_id end;
  update lockstep.jobs j
  set stage_id = v_next.id,
      status = case when v_next.waits then 'scheduled' else 'pending' end::lockstep.job_status,
      position = case when not v_next.waits then nextval('lockstep.job_positions') end,
      ready_at = p_now,
      attempt = 0,
      losses = 0,
      suspect = false,
      progress = null,
      progress_note = null,
      progress_data = null,
      outputs = coalesce(j.outputs, '{}') || jsonb_build_object(v_job.stage, v_taken.output)
  where j.id = v_job.id;
  if v_job.stage_id = p_batch.fan_out_stage_id then
    insert into lockstep.stage_moves (at, stage_id, moved_from, moved_to, run_bucket, jobs, wakes_for) values
      (p_now, v_job.stage_id, 'scheduled', '', lockstep.time_bucket(p_now - v_job.ready_at), 1, null),
      (p_now, v_next.id, '', case when v_next.waits then 'scheduled' else 'pending' end, 0, 1, case when not v_next.waits then 1 end);
    if v_job.noted then
      perform lockstep.log_moves(array[(
        v_job.id, v_job.pipeline_id, v_job.stage_id, v_next.id, 'scheduled', '', v_job.attempt,
        v_job.owner, v_job.group_key, v_job.batch_id, false, null
      )::lockstep.job_move], p_now);
    end if;
  elsif not v_next.waits then
    insert into lockstep.stage_moves (at, stage_id, moved_from, moved_to, jobs, wakes_for)
    values (p_now, v_next.id, 'scheduled', 'pending', 1, 1);
  end if;
  if v_next.waits then
    v_moves := lockstep.begin_waits(array[v_job.id], p_now);
    if v_moves is not null then
      perform lockstep.log_moves(v_moves, p_now);
    end if;
  end if;
  return v_moves;
end;
$$;
