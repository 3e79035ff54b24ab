-- Ends attempts, many at once: each by its id and claim token, or not at all.
-- p_ends tells how each ended, as an array of {"outcome", "value", "delayMs", "timedOut", "keepIn", "log"}:
--   done     value is the output: the next stage, or completed
--   retry    value is the error: retrying while attempts are left, else failed
--   give_up  value is the error: failed at once
--   snooze   back for later, the attempt refunded
--   release  pending again, the attempt refunded
-- No outcome is a done, and no p_ends at all is a done without output for every job.
-- "keepIn" asks to go on with this next stage under p_claim_token, when nothing more urgent waits there;
-- only for stages in p_stage_ids, whose places (20 per stage) say where its waiting jobs begin.
-- p_addresses may tell where each job's row was when it was claimed, null where that is not known: a hint that saves a look.
-- Rows come back for what the caller cannot foresee: everything but a done that was applied as it asked.
create or replace function lockstep.settle_jobs(
  p_ids uuid[],
  p_tokens uuid[],
  p_ends jsonb default null,
  p_stage_ids integer[] default '{}',
  p_places bigint[] default '{}',
  p_claim_token uuid default null,
  p_addresses tid[] default null,
  p_now timestamptz default clock_timestamp()
)
returns table (
  job_id uuid,
  answer text,
  status lockstep.job_status
)
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
-- One sane plan whatever the statistics say: by index, row by row, in order.
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_bitmapscan = off
set enable_material = off
set random_page_cost = 0
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  -- looked up once, not for every job
  v_last_stage_ids integer[];
  v_most_urgent integer[];
  -- by number in the batch, which may hold an old claim of a job beside the present one
  v_settled bigint[];
  v_also_settled bigint[];
  v_plain_moves lockstep.job_move[];
  v_moves lockstep.job_move[];
  v_kept_moves lockstep.job_move[];
  v_reported_ids uuid[];
  v_reported_statuses lockstep.job_status[];
begin
  if cardinality(p_tokens) <> cardinality(p_ids) or jsonb_array_length(p_ends) <> cardinality(p_ids) then
    raise exception 'settle_jobs takes a token and an end for each job: % ids, % tokens, % ends.',
      cardinality(p_ids), cardinality(p_tokens), jsonb_array_length(p_ends)
      using errcode = 'LS001';
  end if;

  v_last_stage_ids := array(select s.id from lockstep.stages s where s.next_stage_id is null);

  -- The plain end of most jobs, done in their last stage, without the locks and looks that the others need.
  -- Nothing there depends on a cancel: a completion that commits first wins. The jobs of a batch tend to be in the same
  -- stage, so the first one tells whether to try: the others would be looked up in vain, and then once more.
  -- A row that has moved since it was looked up, or claimed, is not at its address: it ends further below, by its id.
  if exists (select from lockstep.jobs j where j.id = p_ids[1] and j.stage_id = any (v_last_stage_ids)) then
    with given as materialized (
      select
        g.id, g.token, g.value, g.log, g.number,
        coalesce(g.address, (select j.ctid from lockstep.jobs j where j.id = g.id)) as address
      from rows from (
        unnest(p_ids), unnest(p_tokens), unnest(p_addresses),
        jsonb_to_recordset(p_ends) as (outcome text, value jsonb, log jsonb)
      ) with ordinality as g (id, token, address, outcome, value, log, number)
      where coalesce(g.outcome, 'done') = 'done'
      order by g.id    -- everyone locks jobs in this order
    ),
    gone as (
      delete from lockstep.jobs j
      using given g
      -- "is true": said so that no index can answer it
      where j.ctid = g.address and (j.id = g.id) is true and j.claim_token = g.token and j.stage_id = any (v_last_stage_ids)
      returning
        -- first what is read again below
        g.number, j.stage_id, j.ready_at, j.claimed_at, j.noted, j.counted,
        j.id, j.pipeline_id, j.attempt, j.owner, j.group_key, j.batch_id, g.value,
        j.added_at, j.scheduled_for, j.cancel_requested_at, j.claim_token, j.worker_id, j.losses, j.priority, j.progress,
        j.dedup_key, j.tags, j.progress_note, j.progress_data, j.trace, j.history, g.log, j.outputs, j.payload
    ),
    finished as (
      insert into lockstep.finished_jobs (
        id, added_at, pipeline_id, stage_id, ready_at, scheduled_for, claimed_at,
        cancel_requested_at, claim_token, worker_id, attempt, losses, priority, progress,
        owner, group_key, dedup_key, tags, progress_note, progress_data, batch_id, trace, history, log,
        outputs, result, payload, status, finished_at
      )
      select
        id, added_at, pipeline_id, stage_id, ready_at, scheduled_for, claimed_at,
        cancel_requested_at, claim_token, worker_id, attempt, losses, priority, progress,
        owner, group_key, dedup_key, tags, progress_note, progress_data, batch_id, trace, history, log,
        outputs, value, payload, 'completed', p_now
      from gone
    ),
    counted as (
      insert into lockstep.stage_moves (at, stage_id, moved_from, moved_to, wait_bucket, run_bucket, jobs)
      select p_now, m.stage_id, 'processing', 'completed', m.wait_bucket, m.run_bucket, sum(m.jobs)
      from (
        -- the jobs of a batch tend to share their times: what is counted of them is worked out once for those that do
        select a.stage_id, a.jobs,
          lockstep.time_bucket(a.claimed_at - a.ready_at) as wait_bucket,
          lockstep.time_bucket(p_now - a.claimed_at) as run_bucket
        from (
          select gone.stage_id, gone.claimed_at, gone.ready_at, count(*) as jobs
          from gone
          group by gone.stage_id, gone.claimed_at, gone.ready_at
        ) a
      ) m
      group by m.stage_id, m.wait_bucket, m.run_bucket
    )
    select array_agg(gone.number), array_agg((
      gone.id, gone.pipeline_id, gone.stage_id, null, 'processing', 'completed', gone.attempt,
      gone.owner, gone.group_key, gone.batch_id, gone.counted, gone.value
    )::lockstep.job_move) filter (where gone.noted or gone.counted)
    into v_settled, v_plain_moves
    from gone;

    if cardinality(v_settled) = cardinality(p_ids) then
      if v_plain_moves is not null then
        perform lockstep.note_moves(v_plain_moves, p_now);
      end if;
      return;
    end if;
  end if;

  if cardinality(p_stage_ids) > 0 then
    select array_agg(
      -- a claim in a stage with a gate, turns or ageing is not for this place to decide
      case when s.paused_at is null and not s.is_gated and p.ageing_ms is null and (
        select true
        from lockstep.jobs w
        where w.stage_id = s.id and w.listed_as = 'pending' and not w.suspect and w.group_key is not null
        order by w.priority, w.group_key collate "C", w.position
        limit 1
      ) is null then coalesce(
        (
          select lane
          from generate_series(1, 20) lane
          where (
            select true
            from lockstep.jobs w
            where w.stage_id = s.id and w.priority = lane and w.listed_as = 'pending' and w.status = 'pending' and not w.suspect and w.group_key is null
              and w.position > coalesce(p_places[(g.ordinal - 1) * 20 + lane], 0)
            order by w.position    -- the order that only its own index has
            limit 1
          )
          limit 1
        ), 21)
      end
      order by g.ordinal
    )
    into v_most_urgent
    from unnest(p_stage_ids) with ordinality as g (id, ordinal)
    join lockstep.stages s on s.id = g.id
    join lockstep.pipelines p on p.id = s.pipeline_id;
  end if;

  with given as materialized (
    select
      g.id, g.token, coalesce(g.outcome, 'done') as outcome, g.value, g.delay_ms, g.timed_out, g.keep_in, g.log, g.number
    from rows from (
      unnest(p_ids), unnest(p_tokens), jsonb_to_recordset(p_ends) as (
        outcome text, value jsonb, "delayMs" bigint, "timedOut" boolean, "keepIn" integer, log jsonb
      )
    ) with ordinality as g (id, token, outcome, value, delay_ms, timed_out, keep_in, log, number)
    order by g.id    -- everyone locks jobs in this order
  ),
  held as materialized (
    select
      -- first what is read most
      case
        when g.outcome = 'done' and s.next_stage_id is null then 'completed'
        when j.cancel_requested_at is not null then 'cancelled'
        when g.outcome = 'done' then
          case
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
      g.outcome, j.stage_id, s.next_stage_id, j.claimed_at, j.ready_at, g.id, g.token, g.number, g.keep_in, j.noted, j.counted,
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
  gone as (
    delete from lockstep.jobs j
    using held h
    -- by id, not by the place of the locked row: a version that came after this statement's snapshot is not seen there
    where lockstep.is_same_id(j.id, h.id) and j.claim_token = h.token
      and h.status in ('completed', 'failed', 'cancelled')
    returning
      j.id, j.added_at, j.pipeline_id, j.stage_id, j.ready_at, j.scheduled_for, j.claimed_at,
      j.cancel_requested_at, j.claim_token, j.worker_id, h.status, j.attempt, j.losses, j.priority, j.progress,
      j.owner, j.group_key, j.dedup_key, j.tags, j.progress_note, j.progress_data, j.batch_id, j.trace, j.history, h.log,
      case when h.outcome in ('retry', 'give_up') then h.value end as error,
      case when h.timed_out and h.status = 'failed' then 'timeout' end as last_outcome,
      -- a stage that was done when the cancel took the job has an output all the same
      case when h.outcome = 'done' and h.status = 'cancelled'
        then coalesce(j.outputs, '{}') || jsonb_build_object(h.stage, h.value) else j.outputs end as outputs,
      case when h.status = 'completed' then h.value end as result,
      j.payload
  ),
  finished as (
    insert into lockstep.finished_jobs (
      id, added_at, pipeline_id, stage_id, ready_at, scheduled_for, claimed_at,
      cancel_requested_at, claim_token, worker_id, status, attempt, losses, priority, progress,
      owner, group_key, dedup_key, tags, progress_note, progress_data, batch_id, trace, history, log,
      error, last_outcome, outputs, result, payload, finished_at, fingerprint
    )
    select gone.*, p_now, case when gone.status = 'failed' then lockstep.error_fingerprint(gone.stage_id, gone.error) end from gone
  ),
  stayed as (
    update lockstep.jobs j
    set stage_id = case when h.outcome = 'done' then h.next_stage_id else j.stage_id end,
        status = h.status,
        listed_as = h.status,
        position = case when h.status = 'pending' then nextval('lockstep.job_positions') else j.position end,
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
        -- it has started, unless it comes back unspent
        start_by = case when h.outcome = 'release' then j.start_by end,
        progress = case when h.outcome <> 'done' then j.progress end,
        progress_note = case when h.outcome <> 'done' then j.progress_note end,
        progress_data = case when h.outcome <> 'done' then j.progress_data end,
        outputs = case
          when h.outcome = 'done' then coalesce(j.outputs, '{}') || jsonb_build_object(h.stage, h.value)
          else j.outputs
        end,
        history = lockstep.with_ended_attempt(j.history, (
          j.stage_id, j.attempt,
          case h.outcome
            when 'done' then 'done'
            when 'snooze' then 'snoozed'
            when 'release' then 'released'
            else case when h.timed_out then 'timeout' else 'failed' end
          end,
          j.claim_token, j.worker_id, j.claimed_at, p_now,
          lockstep.attempt_detail(case when h.outcome = 'retry' then h.value end, h.log)
        )::lockstep.ended_attempt)
    from held h
    where lockstep.is_same_id(j.id, h.id) and j.claim_token = h.token
      and h.status not in ('completed', 'failed', 'cancelled')
  ),
  -- as above, once for the jobs that share their times
  alike as materialized (
    select h.stage_id, h.next_stage_id, h.outcome, h.status, h.claimed_at, h.ready_at, count(*) as jobs
    from held h
    group by h.stage_id, h.next_stage_id, h.outcome, h.status, h.claimed_at, h.ready_at
  ),
  counted as (
    insert into lockstep.stage_moves (at, stage_id, moved_from, moved_to, wait_bucket, run_bucket, jobs)
    select p_now, m.stage_id, m.moved_from, m.moved_to, m.wait_bucket, m.run_bucket, sum(m.jobs)
    from (
      select
        h.stage_id,
        'processing' as moved_from,
        case when h.outcome = 'done' and h.status in ('pending', 'processing') then '' else h.status::text end as moved_to,
        case when h.outcome in ('done', 'retry', 'give_up')
          then lockstep.time_bucket(h.claimed_at - h.ready_at) else 0::smallint end as wait_bucket,
        case when h.outcome in ('done', 'retry', 'give_up')
          then lockstep.time_bucket(p_now - h.claimed_at) else 0::smallint end as run_bucket,
        h.jobs
      from alike h
      union all
      select h.next_stage_id, '', h.status::text, 0::smallint, 0::smallint, h.jobs
      from alike h
      where h.outcome = 'done' and h.status in ('pending', 'processing')
    ) m
    group by m.stage_id, m.moved_from, m.moved_to, m.wait_bucket, m.run_bucket
  )
  select array_agg(h.number), array_agg(h.id) filter (where r.is_news), array_agg(h.status) filter (where r.is_news),
    array_agg((
      h.id, h.pipeline_id, h.stage_id, case when r.is_passed then h.next_stage_id end,
      'processing', case when r.is_passed then '' else h.status::text end, h.attempt,
      h.owner, h.group_key, h.batch_id, h.counted, h.value
    )::lockstep.job_move) filter (where h.noted or h.counted),
    array_agg((
      h.id, h.pipeline_id, h.next_stage_id, null, '', 'processing', 1, h.owner, h.group_key, h.batch_id, false, null
    )::lockstep.job_move) filter (where h.noted and r.is_passed and h.status = 'processing')
  into v_also_settled, v_reported_ids, v_reported_statuses, v_moves, v_kept_moves
  from held h
  cross join lateral (
    select
      h.outcome <> 'done' or h.status = 'cancelled' or (h.keep_in is not null and h.status = 'pending') as is_news,
      h.outcome = 'done' and h.status in ('pending', 'processing') as is_passed
  ) r;

  -- All at once: what is noted may lock more, and the jobs come first.
  if v_plain_moves is not null or v_moves is not null then
    perform lockstep.note_moves(v_plain_moves || v_moves || v_kept_moves, p_now);
  end if;

  return query select r.id, 'applied', r.status from unnest(v_reported_ids, v_reported_statuses) as r (id, status);

  v_settled := v_settled || v_also_settled;
  if coalesce(cardinality(v_settled), 0) < cardinality(p_ids) then
    return query
      select
        g.id,
        case
          when exists (
            select from lockstep.jobs j
            where j.id = g.id and lockstep.was_settled(j.history, g.token)
          ) or exists (
            select from lockstep.finished_jobs f
            where f.pipeline_id = any (array(select p.id from lockstep.pipelines p)) and f.id = g.id
              and (
                f.claim_token = g.token and coalesce(f.last_outcome, '') not in ('lost', 'forced')
                or lockstep.was_settled(f.history, g.token)
              )
          ) then 'already_applied'
          else 'lease_lost'
        end,
        null::lockstep.job_status
      from unnest(p_ids, p_tokens) with ordinality as g (id, token, number)
      where (g.number = any (v_settled)) is not true;
  end if;
end;
$$;
