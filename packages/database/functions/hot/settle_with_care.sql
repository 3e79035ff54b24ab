-- settle_jobs for every kind of end: locks the jobs, decides what becomes of each, and moves it there.
-- Returns which were settled (numbers, by their number in the call), which of them the caller is told of and with which status, and the
-- moves for note_moves.
create or replace function lockstep.settle_with_care(
  p_ids uuid[],
  p_tokens uuid[],
  p_ends jsonb,
  p_stage_ids integer[],
  p_places bigint[],
  p_claim_token uuid,
  p_now timestamptz,
  out numbers bigint[],
  out reported_ids uuid[],
  out reported_statuses lockstep.job_status[],
  out moves lockstep.job_move[]
)
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_most_urgent integer[];
  v_ends lockstep.job_end[];
  v_kept_moves lockstep.job_move[];
  v_arrived uuid[];    -- at a stage that waits
begin
  if cardinality(p_stage_ids) > 0 then
    select u.lanes into v_most_urgent from lockstep.most_urgent_lanes(p_stage_ids, p_places) u;
  end if;

  with given as materialized (
    select
      g.id, g.token,
      -- a stage that is skipped is done, without an attempt of its handler
      coalesce(nullif(g.outcome, 'skip'), 'done') as outcome, coalesce(g.outcome = 'skip', false) as is_skipped, g.value, g.delay_ms, g.timed_out, g.keep_in, g.log, g.number
    from rows from (
      unnest(p_ids), unnest(p_tokens), jsonb_to_recordset(p_ends) as (
        outcome text, value jsonb, "delayMs" bigint, "timedOut" boolean, "keepIn" integer, log jsonb
      )
    ) with ordinality as g (id, token, outcome, value, delay_ms, timed_out, keep_in, log, number)
    order by g.id    -- all functions lock jobs in this order
  ),
  held as materialized (
    select
      -- first the columns that are read most
      case
        when g.outcome = 'done' and s.next_stage_id is null or g.outcome = 'finish' then 'completed'
        when j.cancel_requested_at is not null then 'cancelled'
        when g.outcome = 'done' then
          case
            when s.next_waits then 'scheduled'
            when g.keep_in = s.next_stage_id and p_claim_token is not null
              and j.group_key is null
              and v_most_urgent[array_position(p_stage_ids, g.keep_in)] >= j.priority then 'processing'
            else 'pending'
          end
        when g.outcome = 'release' then 'pending'
        when g.outcome = 'snooze' then 'scheduled'
        when g.outcome = 'retry' and j.attempt < s.max_attempts then 'retrying'
        else 'failed'
      end::lockstep.job_status as status,
      g.outcome, g.is_skipped, j.stage_id, s.next_stage_id, j.claimed_at, j.ready_at, g.id, g.token, g.number, g.keep_in, j.noted, j.counted,
      g.value, g.timed_out is true as timed_out, g.log, s.name as stage,
      j.pipeline_id, j.attempt, j.owner, j.group_key, j.batch_id,
      case
        when g.outcome in ('retry', 'snooze') then p_now + case
          when g.delay_ms is not null then make_interval(secs => least(g.delay_ms, 157680000000) / 1000.0)
          else lockstep.retry_delay(s.retry_kind, s.retry_base_ms, s.retry_cap_ms, s.retry_jitter, j.attempt)
        end
      end as due_at
    from given g
    cross join lateral (
      select j.pipeline_id, j.stage_id, j.attempt, j.ready_at, j.claimed_at, j.cancel_requested_at, j.priority,
        j.owner, j.group_key, j.batch_id, j.noted, j.counted
      from lockstep.jobs j
      where j.id = g.id and j.claim_token = g.token
      for update
    ) j
    join lockstep.stages s on s.id = j.stage_id
  ),
  stayed as (
    update lockstep.jobs j
    set stage_id = case when h.outcome = 'done' then h.next_stage_id else j.stage_id end,
        status = h.status,
        position = case h.status when 'pending' then nextval('lockstep.job_positions') when 'processing' then j.position end,
        ready_at = coalesce(h.due_at, p_now),
        scheduled_for = h.due_at,
        claim_token = case when h.status = 'processing' then p_claim_token end,
        worker_id = case when h.status = 'processing' then j.worker_id end,
        held_by = case when h.status = 'processing' then j.worker_id end,
        claimed_at = case when h.status = 'processing' then p_now end,
        attempt = case
          when h.status = 'processing' then 1
          when h.outcome = 'done' then 0
          when h.outcome = 'retry' then j.attempt
          else j.attempt - 1
        end,
        losses = case when h.outcome = 'done' then 0 else j.losses end,
        suspect = h.outcome <> 'done' and j.suspect,
        counted = false,
        -- the job has started, unless it was released
        start_by = case when h.outcome = 'release' then j.start_by end,
        progress = case when h.outcome <> 'done' then j.progress end,
        progress_note = case when h.outcome <> 'done' then j.progress_note end,
        progress_data = case when h.outcome <> 'done' then j.progress_data end,
        log = null,
        outputs = case
          when h.outcome = 'done' then coalesce(j.outputs, '{}') || jsonb_build_object(h.stage, h.value)
          else j.outputs
        end,
        history = lockstep.with_ended_attempt(j.history, (
          j.stage_id, j.attempt,
          case h.outcome
            when 'done' then case when h.is_skipped then 'skipped' else 'done' end
            when 'snooze' then 'snoozed'
            when 'release' then 'released'
            else case when h.timed_out then 'timeout' else 'failed' end
          end,
          j.claim_token, j.worker_id, j.claimed_at, p_now,
          lockstep.attempt_detail(case when h.outcome = 'retry' then h.value end, coalesce(h.log, j.log))
        )::lockstep.ended_attempt)
    from held h
    -- by id, not by the address of the locked row: a row version newer than this statement's snapshot could not be seen there
    where lockstep.is_same_id(j.id, h.id) and j.claim_token = h.token
      and h.status not in ('completed', 'failed', 'cancelled')
  ),
  -- jobs with the same times, so that their buckets are worked out once
  alike as materialized (
    select h.stage_id, h.next_stage_id, h.outcome, h.is_skipped, h.status, h.counted, h.claimed_at, h.ready_at, count(*) as jobs
    from held h
    where h.status not in ('completed', 'failed', 'cancelled')
    group by h.stage_id, h.next_stage_id, h.outcome, h.is_skipped, h.status, h.counted, h.claimed_at, h.ready_at
  ),
  counted as (
    insert into lockstep.stage_moves (at, stage_id, moved_from, moved_to, wait_bucket, run_bucket, jobs, wakes_for)
    select p_now, m.stage_id, m.moved_from, m.moved_to, m.wait_bucket, m.run_bucket, sum(m.jobs),
      -- wake workers for the jobs that wait now, or one worker to look whether a limit has room again
      case when m.moved_to = 'pending' then sum(m.jobs) when bool_or(m.counted) then 0 end
    from (
      select
        h.stage_id,
        'processing' as moved_from,
        case when h.outcome = 'done' then '' else h.status::text end as moved_to,
        case
          when h.outcome in ('done', 'retry') and not h.is_skipped then lockstep.time_bucket(h.claimed_at - h.ready_at)
          else 0::smallint
        end as wait_bucket,
        case
          when h.is_skipped then -2::smallint
          when h.outcome in ('done', 'retry') then lockstep.time_bucket(p_now - h.claimed_at)
          else 0::smallint
        end as run_bucket,
        h.jobs,
        h.counted
      from alike h
      union all
      select h.next_stage_id, '', h.status::text, 0::smallint, 0::smallint, h.jobs, false
      from alike h
      where h.outcome = 'done'
    ) m
    group by m.stage_id, m.moved_from, m.moved_to, m.wait_bucket, m.run_bucket
  )
  select
    array_agg(h.number), array_agg(h.id) filter (where r.is_news), array_agg(h.status) filter (where r.is_news),
    -- jobs that end here
    array_agg((
      h.id, h.token, h.status,
      case when h.timed_out and h.status = 'failed' then 'timeout' when h.is_skipped and h.status = 'completed' then 'skipped' end,
      h.outcome in ('done', 'finish', 'retry', 'give_up') and not h.is_skipped,
      null,
      case when h.status = 'completed' then h.value end,
      case when h.outcome in ('retry', 'give_up') then h.value end,
      -- if the stage was done when the job was cancelled, its output is kept
      case when h.outcome = 'done' and h.status = 'cancelled' then h.stage end,
      case when h.outcome = 'done' and h.status = 'cancelled' then h.value end,
      h.log
    )::lockstep.job_end) filter (where r.is_over),
    -- jobs that stay live
    array_agg((
      h.id, h.pipeline_id, h.stage_id, case when r.is_passed then h.next_stage_id end,
      'processing', case when not r.is_passed then h.status::text when h.is_skipped then 'skipped' else '' end, h.attempt,
      h.owner, h.group_key, h.batch_id, h.counted, h.value
    )::lockstep.job_move) filter (where (h.noted or h.counted) and not r.is_over),
    array_agg((
      h.id, h.pipeline_id, h.next_stage_id, null, '', 'processing', 1, h.owner, h.group_key, h.batch_id, false, null
    )::lockstep.job_move) filter (where h.noted and r.is_passed and h.status = 'processing'),
    array_agg(h.id) filter (where r.is_passed and h.status = 'scheduled')
  into numbers, reported_ids, reported_statuses, v_ends, moves, v_kept_moves, v_arrived
  from held h
  cross join lateral (
    select
      h.outcome <> 'done' or h.status = 'cancelled' or (h.keep_in is not null and h.status <> 'processing') as is_news,
      h.outcome = 'done' and h.status in ('pending', 'processing', 'scheduled') as is_passed,
      h.status in ('completed', 'failed', 'cancelled') as is_over
  ) r;
  moves := moves || v_kept_moves;

  if v_ends is not null then
    moves := lockstep.finish_jobs(v_ends, p_now) || moves;
  end if;
  if v_arrived is not null then
    moves := moves || lockstep.begin_waits(v_arrived, p_now);
  end if;
end;
$$;
