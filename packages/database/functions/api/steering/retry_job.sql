-- Runs a failed or cancelled job again under its own id: at the stage where it ended, or at an earlier one. If it ended while it waited
-- there for what its children return, those that did not complete run again, and the others are kept.
-- Answers applied, not_found, not_finished (it is live, or completed) or conflict (a live twin has its dedup key); or changed, if
-- p_if_version is given and the job has another version by now.
create or replace function lockstep.retry_job(
  p_id uuid,
  p_from_stage text default null,
  p_if_version text default null,
  p_now timestamptz default clock_timestamp()
)
returns table (answer text, twin_id uuid)
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_job lockstep.finished_jobs;
  v_stage record;
  v_ended_in record;
  v_history lockstep.ended_attempt[];
  v_twin_id uuid;
  v_batch lockstep.batches;
  v_batch_stage text;
  v_resumes boolean := false;
  v_status lockstep.job_status := 'pending';
  v_found record;
begin
  select * into v_found from lockstep.find_finished_job(p_id, p_if_version);
  v_job := v_found.job;
  if v_found.answer is not null or v_job.status = 'completed' then
    return query select coalesce(v_found.answer, 'not_finished'), null::uuid;
    return;
  end if;

  select s.name, s.ordinal, p.name as pipeline into v_ended_in
  from lockstep.stages s join lockstep.pipelines p on p.id = s.pipeline_id where s.id = v_job.stage_id;

  select s.id, s.name, s.ordinal, s.kind in ('wait', 'sleep') as waits into v_stage
  from lockstep.stages s
  where s.pipeline_id = v_job.pipeline_id and s.name = coalesce(p_from_stage, v_ended_in.name);
  if not found
    or v_stage.ordinal > v_ended_in.ordinal
    or (v_stage.ordinal is null and v_stage.id <> v_job.stage_id)    -- no job enters a stage that is no longer part of the pipeline
  then
    raise exception 'Job % ended in stage "%" of pipeline "%" and cannot be retried from "%".',
      p_id, v_ended_in.name, v_ended_in.pipeline, p_from_stage
      using errcode = 'LS003', hint = 'Choose the stage where it ended, or an earlier one.';
  end if;

  v_history := v_job.history;
  if v_job.claim_token is not null then
    v_history := lockstep.with_ended_attempt(v_history, (
      v_job.stage_id, v_job.attempt, coalesce(v_job.last_outcome, v_job.status::text),
      v_job.claim_token, v_job.worker_id, v_job.claimed_at, v_job.finished_at,
      lockstep.attempt_detail(v_job.error, v_job.log)
    )::lockstep.ended_attempt);
  end if;
  v_history := lockstep.with_ended_attempt(
    v_history, (v_stage.id, null, 'retried', null, null, null, p_now, null)::lockstep.ended_attempt
  );

  if v_stage.id = v_job.stage_id then
    v_batch := lockstep.lock_batch_to_resume(v_job);
    v_resumes := v_batch.id is not null;
  end if;
  if not v_resumes then
    -- The batch that it has waited for, unless the stage that fanned out runs again. If that batch is not finished, the job waits again.
    select b.* into v_batch
    from lockstep.batches b
    left join lockstep.stages s on s.id = b.fan_out_stage_id
    where b.waiting_job_id = p_id and coalesce(s.ordinal < v_stage.ordinal, s.id is null)
    order by b.added_at desc
    limit 1
    for update of b;
  end if;
  if v_resumes or v_stage.waits or v_batch.id is not null and v_batch.finished_at is null then
    v_status := 'scheduled';
  end if;
  if v_batch.returns is not null and not v_resumes then
    select s.name into v_batch_stage from lockstep.stages s where s.id = v_batch.fan_out_stage_id;
  end if;

  insert into lockstep.jobs (
    id, added_at, pipeline_id, stage_id, position, ready_at, status, waits_for, priority, noted, owner, group_key, dedup_key,
    tags, batch_id, trace, history, outputs, payload
  )
  values (
    v_job.id, v_job.added_at, v_job.pipeline_id, v_stage.id,
    case when v_status = 'pending' then nextval('lockstep.job_positions') end, p_now, v_status, v_batch.id, v_job.priority,
    v_job.owner is not null or v_job.batch_id is not null
      or (select p.logs_events from lockstep.pipelines p where p.id = v_job.pipeline_id),
    v_job.owner, v_job.group_key, v_job.dedup_key, v_job.tags, v_job.batch_id, v_job.trace,
    v_history,
    -- without the outputs of the chosen stage and of later ones
    case when v_batch_stage is null then lockstep.outputs_before(v_job, v_stage.id)
      -- a child of that batch may have been retried since
      else lockstep.outputs_before(v_job, v_stage.id) || coalesce((
        select jsonb_build_object(v_batch_stage, o.output) from lockstep.output_of_children(v_batch) o where o.error is null
      ), '{}')
    end,
    v_job.payload
  )
  on conflict do nothing;

  if not found then
    select j.id into v_twin_id
    from lockstep.jobs j
    where j.pipeline_id = v_job.pipeline_id
      and coalesce(j.owner, '') = coalesce(v_job.owner, '')
      and j.dedup_key = v_job.dedup_key;
    return query select 'conflict', v_twin_id;
    return;
  end if;

  delete from lockstep.finished_jobs f
  where f.pipeline_id = v_job.pipeline_id and f.id = p_id
    and f.status = v_job.status and f.finished_at = v_job.finished_at;
  insert into lockstep.stage_moves (at, stage_id, moved_from, moved_to, jobs, wakes_for) values
    (p_now, v_job.stage_id, v_job.status::text, '', 1, null),
    (p_now, v_stage.id, '', v_status::text, 1, case when v_status = 'pending' then 1 end);
  perform lockstep.note_moves(
    array[(
      v_job.id, v_job.pipeline_id, v_stage.id, null, v_job.status::text, v_status::text, 0,
      v_job.owner, v_job.group_key, v_job.batch_id, false, null
    )::lockstep.job_move],
    p_now
  ) from lockstep.jobs j where j.id = p_id and j.noted;
  if v_resumes then
    perform lockstep.resume_children(v_batch.id, p_now);
  end if;

  -- The waits that it comes to again take new signals. Those that came early, and were not taken, stay.
  delete from lockstep.signals g
  using lockstep.stages s
  where g.job_id = p_id and g.taken_at is not null
    and s.pipeline_id = v_job.pipeline_id and s.name = g.name
    and (s.id = v_stage.id or not coalesce(s.ordinal < v_stage.ordinal, v_stage.id = v_job.stage_id));
  if v_stage.waits then
    perform lockstep.note_moves(lockstep.begin_waits(array[p_id], p_now), p_now);
  end if;
  return query select 'applied', null::uuid;
end;
$$;
