-- Acts on the counters of a closed batch, whose row the caller has locked. If a child did not complete (p_culprits) and its policy is fail,
-- the parent fails. When all jobs have ended, the job that waits for the batch goes on.
-- Returns the moves of jobs that ended, which the caller must pass to count_batch_moves.
create or replace function lockstep.end_batch(p_batch lockstep.batches, p_culprits uuid[], p_now timestamptz)
returns lockstep.job_move[]
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_culprit uuid;
  v_moves lockstep.job_move[];
  v_waiting uuid[];    -- jobs that have come to a stage that waits
  v_begun lockstep.job_move[];
begin
  if p_culprits is not null and p_batch.finished_at is null then
    v_culprit := case
      when p_batch.branches is null then case when p_batch.on_failure = 'fail' then p_culprits[1] end
      else (
        select (c.branch ->> 'jobId')::uuid
        from jsonb_array_elements(p_batch.branches) with ordinality as c (branch, number)
        where c.branch ->> 'onFailure' = 'fail' and (c.branch ->> 'jobId')::uuid = any (p_culprits)
        order by c.number
        limit 1
      )
    end;
    if v_culprit is not null then
      select f.moves into v_moves
      from lockstep.end_fan_out(p_batch.id, 'failed', lockstep.child_error(p_batch, v_culprit), p_now) f;
    end if;
  end if;

  -- Reads the counters again, since the cancels above have changed them.
  update lockstep.batches b
  set finished_at = p_now
  where b.id = p_batch.id and b.finished_at is null and b.completed + b.failed + b.cancelled = b.total;
  if not found then
    return v_moves;
  end if;
  if p_batch.returns is not null then
    return v_moves || lockstep.take_results(p_batch, p_now);
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
    v_begun := lockstep.begin_waits(v_waiting, p_now);
    perform lockstep.log_moves(v_begun, p_now);
    return v_moves || v_begun;
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
  return v_moves;
end;
$$;
