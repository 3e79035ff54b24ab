-- Ends the waits of jobs, whose rows the caller has locked, all in the same way (p_outcome): signalled, timed_out or slept. A signalled job
-- takes the value with it as the output of the wait. Each goes to its next stage, or to the one that its wait names for a timeout; in the
-- last stage it is completed, and if it has waited too long for a signal, it may be failed.
-- Returns the moves that the caller must pass to note_moves, as finish_jobs does.
create or replace function lockstep.pass_waits(
  p_ids uuid[],
  p_outcome text,
  p_values jsonb[],
  p_senders text[],
  p_now timestamptz
)
returns lockstep.job_move[]
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_ends lockstep.job_end[];
  v_told lockstep.job_move[];     -- that their waits have ended
  v_moves lockstep.job_move[];
  v_arrived uuid[];    -- those that have come to the next wait
begin
  with passing as materialized (
    select
      j.id, j.pipeline_id, j.stage_id, s.name as stage, j.ready_at, j.owner, j.group_key, j.batch_id, j.noted,
      case when p_outcome = 'slept' then j.outputs -> lockstep.stage_before(s.id) else g.value end as value,
      g.sender,
      n.id as next_id, n.kind in ('wait', 'sleep') as next_waits,
      -- after a sleep the next stage gets the output from before it; a stage that a timeout jumps to gets none
      p_outcome = 'signalled' or p_outcome = 'timed_out' and s.on_timeout = 'continue' as has_output,
      case when p_outcome = 'timed_out' and s.on_timeout = 'fail' then jsonb_build_object(
        'name', 'WaitTimeoutError',
        'message', format('The wait "%s" timed out: no signal came within %s.', s.name, lockstep.span_text(s.wait_ms))
      ) end as error
    from unnest(p_ids, p_values, p_senders) as g (id, value, sender)
    join lockstep.jobs j on lockstep.is_same_id(j.id, g.id)
    join lockstep.stages s on s.id = j.stage_id
    left join lockstep.stages n
      on n.id = case when p_outcome = 'timed_out' then coalesce(s.timeout_stage_id, s.next_stage_id) else s.next_stage_id end
  ),
  moved as (
    update lockstep.jobs j
    set stage_id = case when r.is_over then j.stage_id else p.next_id end,
        status = case when r.is_over or p.next_waits then 'scheduled' else 'pending' end::lockstep.job_status,
        position = case when not (r.is_over or p.next_waits) then nextval('lockstep.job_positions') end,
        ready_at = case when r.is_over then j.ready_at else p_now end,
        scheduled_for = case when r.is_over then j.scheduled_for end,
        outputs = case
          when p.has_output and not r.is_over then coalesce(j.outputs, '{}') || jsonb_build_object(p.stage, p.value)
          else j.outputs
        end,
        history = lockstep.with_ended_attempt(j.history, (
          j.stage_id, null, p_outcome, null, null, null, p_now,
          jsonb_strip_nulls(jsonb_build_object('since', p.ready_at, 'by', p.sender))
        )::lockstep.ended_attempt)
    from passing p
    cross join lateral (select p.error is not null or p.next_id is null as is_over) r
    where lockstep.is_same_id(j.id, p.id)
  ),
  counted as (
    insert into lockstep.stage_moves (at, stage_id, moved_from, moved_to, run_bucket, jobs, wakes_for)
    select p_now, m.stage_id, m.moved_from, m.moved_to, m.run_bucket, count(*), case when m.moved_to = 'pending' then count(*) end
    from passing p
    cross join lateral (values
      (p.stage_id, 'scheduled', '', lockstep.time_bucket(p_now - p.ready_at)),
      (p.next_id, '', case when p.next_waits then 'scheduled' else 'pending' end, 0::smallint)
    ) as m (stage_id, moved_from, moved_to, run_bucket)
    where p.error is null and p.next_id is not null
    group by m.stage_id, m.moved_from, m.moved_to, m.run_bucket
  )
  select
    array_agg((
      p.id, p.pipeline_id, p.stage_id, null, 'scheduled', p_outcome, 0, p.owner, p.group_key, p.batch_id, false,
      jsonb_strip_nulls(jsonb_build_object('signal', case when p_outcome = 'signalled' then p.stage end, 'by', p.sender))
    )::lockstep.job_move) filter (where p.noted),
    array_agg((
      p.id, null, case when p.error is null then 'completed' else 'failed' end::lockstep.job_status,
      null, false, null, case when p.error is null then coalesce(p.value, 'null') end, p.error, null, null, null
    )::lockstep.job_end) filter (where p.error is not null or p.next_id is null),
    array_agg((
      p.id, p.pipeline_id, p.stage_id, p.next_id, 'scheduled', '', 0, p.owner, p.group_key, p.batch_id, false, p.value
    )::lockstep.job_move) filter (where p.noted and p.error is null and p.next_id is not null),
    array_agg(p.id) filter (where p.error is null and p.next_waits)
  into v_told, v_ends, v_moves, v_arrived
  from passing p;

  v_moves := v_told || v_moves;
  if v_ends is not null then
    v_moves := v_moves || lockstep.finish_jobs(v_ends, p_now);
  end if;
  if v_arrived is not null then
    v_moves := v_moves || lockstep.begin_waits(v_arrived, p_now);
  end if;
  return v_moves;
end;
$$;
