-- Moves live jobs whose rows the caller has locked to the finished ones, without the word of their holders.
create or replace function lockstep.finish_waiting_jobs(
  p_ids uuid[],
  p_status lockstep.job_status,
  p_error jsonb,
  p_now timestamptz
)
returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
as $$
declare
  v_moves lockstep.job_move[];
begin
  with gone as (
    delete from lockstep.jobs j where j.id = any (p_ids) returning j.*
  ),
  counted as (
    insert into lockstep.stage_moves (at, stage_id, moved_from, moved_to, jobs)
    select p_now, gone.stage_id, gone.status::text, p_status::text, count(*) from gone group by gone.stage_id, gone.status
  ),
  finished as (
    insert into lockstep.finished_jobs (
      id, added_at, pipeline_id, stage_id, finished_at, ready_at, scheduled_for, claimed_at, cancel_requested_at,
      claim_token, worker_id, status, attempt, losses, priority, progress, owner, group_key, dedup_key, tags,
      progress_note, progress_data, batch_id, trace, history, outputs, payload, error, last_outcome, fingerprint
    )
    select
      id, added_at, pipeline_id, stage_id, p_now, ready_at, scheduled_for, claimed_at, cancel_requested_at,
      claim_token, worker_id, p_status, attempt, losses, priority, progress, owner, group_key, dedup_key, tags,
      progress_note, progress_data, batch_id, trace, history, outputs, payload, p_error,
      case when status = 'processing' then 'forced' end,
      case when p_status = 'failed' then lockstep.error_fingerprint(stage_id, p_error) end
    from gone
  )
  select array_agg((
    gone.id, gone.pipeline_id, gone.stage_id, null, gone.status::text, p_status::text, gone.attempt,
    gone.owner, gone.group_key, gone.batch_id, gone.counted, p_error
  )::lockstep.job_move) filter (where gone.noted or gone.counted)
  into v_moves
  from gone;

  perform lockstep.note_moves(v_moves, p_now);
end;
$$;
