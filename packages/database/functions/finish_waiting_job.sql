-- Moves one live job whose row the caller has locked to the finished ones, without the word of its holder.
create or replace function lockstep.finish_waiting_job(
  p_id uuid,
  p_status lockstep.job_status,
  p_now timestamptz
)
returns void
language sql
security definer
set search_path = pg_catalog, pg_temp
as $$
  with gone as (
    delete from lockstep.jobs j where j.id = p_id returning j.*
  ),
  counted as (
    insert into lockstep.stage_moves (at, stage_id, moved_from, moved_to, jobs)
    select p_now, gone.stage_id, gone.status::text, p_status::text, 1 from gone
  )
  insert into lockstep.finished_jobs (
    id, added_at, pipeline_id, stage_id, finished_at, ready_at, scheduled_for, claimed_at, cancel_requested_at,
    claim_token, worker_id, status, attempt, losses, priority, progress, owner, dedup_key, tags,
    progress_note, progress_data, history, outputs, payload, last_outcome
  )
  select
    id, added_at, pipeline_id, stage_id, p_now, ready_at, scheduled_for, claimed_at, cancel_requested_at,
    claim_token, worker_id, p_status, attempt, losses, priority, progress, owner, dedup_key, tags,
    progress_note, progress_data, history, outputs, payload,
    case when status = 'processing' then 'forced' end
  from gone;
$$;
