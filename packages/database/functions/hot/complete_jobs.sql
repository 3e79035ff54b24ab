-- finish_jobs for how most jobs end: it completes the jobs of a call that are done and in their last stage, without the locks and
-- lookups that other ends need. A cancel does not matter here, since a completion that commits first wins. It leaves all other jobs as
-- they are, also those that a worker hopes to keep for a stage that there is no more: of these it must be told.
-- A statement of its own, since a job that ended through finish_jobs took 4 % more of the server's time.
create or replace function lockstep.complete_jobs(
  p_ids uuid[],
  p_tokens uuid[],
  p_ends jsonb,
  p_last_stage_ids integer[],
  p_now timestamptz,
  out numbers bigint[],
  out moves lockstep.job_move[]
)
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  with given as materialized (
    select
      g.id, g.token, g.value, g.log, g.number
    from rows from (
      unnest(p_ids), unnest(p_tokens), jsonb_to_recordset(p_ends) as (outcome text, value jsonb, "keepIn" integer, log jsonb)
    ) with ordinality as g (id, token, outcome, value, keep_in, log, number)
    where coalesce(g.outcome, 'done') = 'done' and g.keep_in is null
    order by g.id    -- all functions lock jobs in this order
  ),
  gone as (
    delete from lockstep.jobs j
    using given g
    where lockstep.is_same_id(j.id, g.id) and j.claim_token = g.token and j.stage_id = any (p_last_stage_ids)
    returning
      -- first the columns that are read again below
      g.number, j.stage_id, j.ready_at, j.claimed_at, j.noted, j.counted,
      j.id, j.pipeline_id, j.attempt, j.owner, j.group_key, j.batch_id, g.value,
      j.added_at, j.scheduled_for, j.cancel_requested_at, j.claim_token, j.worker_id, j.losses, j.priority, j.progress,
      j.dedup_key, j.tags, j.progress_note, j.progress_data, j.trace, j.history,
      coalesce(g.log, j.log) as log, j.outputs, j.payload
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
    insert into lockstep.stage_moves (at, stage_id, moved_from, moved_to, wait_bucket, run_bucket, jobs, wakes_for)
    select p_now, m.stage_id, 'processing', 'completed', m.wait_bucket, m.run_bucket, sum(m.jobs),
      case when bool_or(m.counted) then 0 end    -- the limits of the stage may have room again
    from (
      -- jobs of one call often have the same times: their buckets are worked out once
      select a.stage_id, a.counted, a.jobs,
        lockstep.time_bucket(a.claimed_at - a.ready_at) as wait_bucket,
        lockstep.time_bucket(p_now - a.claimed_at) as run_bucket
      from (
        select gone.stage_id, gone.counted, gone.claimed_at, gone.ready_at, count(*) as jobs
        from gone
        group by gone.stage_id, gone.counted, gone.claimed_at, gone.ready_at
      ) a
    ) m
    group by m.stage_id, m.wait_bucket, m.run_bucket
  )
  select array_agg(gone.number), array_agg((
    gone.id, gone.pipeline_id, gone.stage_id, null, 'processing', 'completed', gone.attempt,
    gone.owner, gone.group_key, gone.batch_id, gone.counted, gone.value
  )::lockstep.job_move) filter (where gone.noted or gone.counted)
  into numbers, moves
  from gone;
end;
$$;
