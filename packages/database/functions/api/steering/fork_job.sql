-- Runs a finished job again as a new job, from its first stage or from a chosen one up to that where it ended. The new job has the payload,
-- the outputs of earlier stages, the owner, group, priority and tags of the old one, which stays as it is. It has no dedup key and is in
-- no batch. p_new_id is an id that was drawn for this call; if it is sent again, the answer is the same.
-- Answers forked, not_found or not_finished; or changed, if p_if_version is given and the job has another version by now.
create or replace function lockstep.fork_job(
  p_id uuid,
  p_from_stage text default null,
  p_new_id uuid default null,
  p_if_version text default null,
  p_now timestamptz default clock_timestamp()
)
returns table (answer text, id uuid)
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_job lockstep.finished_jobs;
  v_ended_in record;
  v_stage record;
  v_id uuid := coalesce(p_new_id, lockstep.new_job_id(p_now));
  v_is_noted boolean;
  v_found record;
begin
  if exists (select from lockstep.forks k where k.job_id = p_new_id and k.forked_from = p_id) then
    return query select 'forked', p_new_id;
    return;
  end if;
  select * into v_found from lockstep.find_finished_job(p_id, p_if_version);
  if v_found.answer is not null then
    return query select v_found.answer, null::uuid;
    return;
  end if;
  v_job := v_found.job;

  select s.name, s.ordinal, p.name as pipeline, p.logs_events into v_ended_in
  from lockstep.stages s join lockstep.pipelines p on p.id = s.pipeline_id where s.id = v_job.stage_id;
  select s.id, s.ordinal, s.kind in ('wait', 'sleep') as waits into v_stage
  from lockstep.stages s
  where s.pipeline_id = v_job.pipeline_id and case when p_from_stage is null then s.ordinal = 1 else s.name = p_from_stage end;
  if not found or v_stage.ordinal is null or v_stage.ordinal > v_ended_in.ordinal then
    raise exception 'Job % ended in stage "%" of pipeline "%" and cannot be forked from "%".',
      p_id, v_ended_in.name, v_ended_in.pipeline, p_from_stage
      using errcode = 'LS003', hint = 'Choose the stage where it ended, or an earlier one.';
  end if;

  v_is_noted := v_job.owner is not null or v_ended_in.logs_events;
  insert into lockstep.jobs (
    id, added_at, pipeline_id, stage_id, position, ready_at, status, waits_for, priority, noted, owner, group_key, tags, trace,
    outputs, payload
  )
  values (
    v_id, p_now, v_job.pipeline_id, v_stage.id,
    case when not v_stage.waits then nextval('lockstep.job_positions') end, p_now,
    case when v_stage.waits then 'scheduled' else 'pending' end::lockstep.job_status,
    -- for children_of: the children of the last fan-out before this stage
    (
      select b.id
      from lockstep.batches b
      left join lockstep.stages s on s.id = b.fan_out_stage_id
      where b.waiting_job_id = p_id and coalesce(s.ordinal < v_stage.ordinal, s.id is null)
      order by b.added_at desc
      limit 1
    ),
    v_job.priority, v_is_noted, v_job.owner, v_job.group_key, v_job.tags, v_job.trace,
    lockstep.outputs_before(v_job, v_stage.id), v_job.payload
  )
  on conflict (id) do nothing;
  if not found then
    -- The same call was sent twice, and the other one has just committed.
    if not exists (select from lockstep.forks k where k.job_id = v_id and k.forked_from = p_id) then
      perform lockstep.refuse_taken_id(v_id);
    end if;
    return query select 'forked', v_id;
    return;
  end if;
  insert into lockstep.forks (job_id, forked_from, from_stage_id, forked_at) values (v_id, p_id, v_stage.id, p_now);
  insert into lockstep.stage_moves (at, stage_id, moved_from, moved_to, jobs, wakes_for)
  select p_now, v_stage.id, '', case when v_stage.waits then 'scheduled' else 'pending' end, 1, case when not v_stage.waits then 1 end;
  if (select p.max_pending is not null from lockstep.pipelines p where p.id = v_job.pipeline_id) then
    perform lockstep.refuse_above_max_pending(array[v_job.pipeline_id]);
  end if;
  if v_is_noted then
    perform lockstep.note_moves(array[(
      v_id, v_job.pipeline_id, v_stage.id, null, '', case when v_stage.waits then 'scheduled' else 'pending' end, 0, v_job.owner, v_job.group_key, null, false, null
    )::lockstep.job_move], p_now);
  end if;
  if v_stage.waits then
    perform lockstep.note_moves(lockstep.begin_waits(array[v_id], p_now), p_now);
  end if;
  return query select 'forked', v_id;
end;
$$;
