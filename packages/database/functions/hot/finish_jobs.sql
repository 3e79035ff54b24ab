-- Finishes live jobs: moves their rows to finished_jobs and counts the moves. Every end of a job comes through here, by its worker, a
-- cancel, the sweep or a deadline, except the common one of complete_jobs. A job that has another claim than p_ends says is left as it is.
-- Returns the moves that the caller must pass to note_moves. It does not call note_moves itself, since that may lock other rows, and
-- all jobs must be locked first.
create or replace function lockstep.finish_jobs(
  p_ends lockstep.job_end[],
  p_now timestamptz
)
returns lockstep.job_move[]
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_moves lockstep.job_move[];
begin
  with given as materialized (
    select
      e.id, e.claim_token, e.status, e.last_outcome, e.is_measured, e.losses, e.result, e.error, e.done_stage,
      e.done_output, e.log
    from unnest(p_ends) e
    order by e.id    -- all functions lock jobs in this order
  ),
  gone as (
    delete from lockstep.jobs j
    using given e
    where lockstep.is_same_id(j.id, e.id) and j.claim_token is not distinct from e.claim_token
    returning
      -- first the columns that are read again below
      j.stage_id, j.ready_at, j.claimed_at, j.noted, j.counted, j.status as old_status, e.status, e.is_measured,
      e.last_outcome, j.id, j.pipeline_id, j.attempt, j.owner, j.group_key, j.batch_id, e.result, e.error,
      j.added_at, j.scheduled_for, j.cancel_requested_at, j.claim_token, j.worker_id, coalesce(e.losses, j.losses) as losses,
      j.priority, j.progress, j.dedup_key, j.tags, j.progress_note, j.progress_data, j.trace, j.history,
      coalesce(e.log, j.log) as log,
      case when e.done_stage is null then j.outputs
        else coalesce(j.outputs, '{}') || jsonb_build_object(e.done_stage, e.done_output) end as outputs,
      j.payload
  ),
  finished as (
    insert into lockstep.finished_jobs (
      id, added_at, pipeline_id, stage_id, ready_at, scheduled_for, claimed_at, cancel_requested_at, claim_token, worker_id,
      status, attempt, losses, priority, progress, owner, group_key, dedup_key, tags, progress_note, progress_data, batch_id,
      trace, history, log, error, last_outcome, outputs, result, payload, finished_at, fingerprint
    )
    select
      id, added_at, pipeline_id, stage_id, ready_at, scheduled_for, claimed_at, cancel_requested_at, claim_token, worker_id,
      status, attempt, losses, priority, progress, owner, group_key, dedup_key, tags, progress_note, progress_data, batch_id,
      trace, history, log, error, last_outcome, outputs, result, payload, p_now,
      case when status = 'failed' then lockstep.error_fingerprint(stage_id, error) end
    from gone
  ),
  counted as (
    insert into lockstep.stage_moves (at, stage_id, moved_from, moved_to, wait_bucket, run_bucket, jobs, wakes_for)
    select p_now, m.stage_id, m.moved_from, m.moved_to, m.wait_bucket, m.run_bucket, sum(m.jobs),
      case when bool_or(m.counted) then 0 end    -- the limits of the stage may have room again
    from (
      -- jobs of one call often have the same times: their buckets are worked out once
      select a.stage_id, a.old_status::text as moved_from, a.status::text as moved_to, a.jobs, a.counted and a.old_status = 'processing' as counted,
        case when a.is_measured then lockstep.time_bucket(a.claimed_at - a.ready_at) else 0::smallint end as wait_bucket,
        case
          when a.is_measured then lockstep.time_bucket(p_now - a.claimed_at)
          when a.last_outcome = 'lost' then -1::smallint    -- otherwise a loss would look like a release
          when a.last_outcome = 'skipped' then -2::smallint
          else 0::smallint
        end as run_bucket
      from (
        select
          gone.stage_id, gone.old_status, gone.status, gone.is_measured, gone.last_outcome, gone.counted, gone.claimed_at, gone.ready_at,
          count(*) as jobs
        from gone
        group by
          gone.stage_id, gone.old_status, gone.status, gone.is_measured, gone.last_outcome, gone.counted, gone.claimed_at, gone.ready_at
      ) a
    ) m
    group by m.stage_id, m.moved_from, m.moved_to, m.wait_bucket, m.run_bucket
  )
  select array_agg((
    gone.id, gone.pipeline_id, gone.stage_id, null, gone.old_status::text, gone.status::text, gone.attempt,
    gone.owner, gone.group_key, gone.batch_id, gone.counted, case gone.status when 'completed' then gone.result else gone.error end
  )::lockstep.job_move) filter (where gone.noted or gone.counted)
  into v_moves
  from gone;
  return v_moves;
end;
$$;
