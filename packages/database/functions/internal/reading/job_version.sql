-- A text that changes with every move of a job, but not with its progress. A caller can use it to act on a job only if the job has not
-- moved since it was read. Plain SQL without settings, so that PostgreSQL inlines it.
create or replace function lockstep.job_version(
  p_status lockstep.job_status,
  p_stage_id integer,
  p_position bigint,                    -- null for a finished job, as p_finished_at is for a live one
  p_attempt smallint,
  p_losses smallint,
  p_scheduled_for timestamptz,
  p_claimed_at timestamptz,
  p_cancel_requested_at timestamptz,
  p_finished_at timestamptz
)
returns text
language sql
stable
parallel safe
as $$
  -- Times as numbers: as text they would depend on the session's time zone.
  select left(md5(format('%s %s %s %s %s %s %s %s %s',
    p_status, p_stage_id, p_position, p_attempt, p_losses,
    extract(epoch from p_scheduled_for), extract(epoch from p_claimed_at),
    extract(epoch from p_cancel_requested_at), extract(epoch from p_finished_at)
  )), 16);
$$;
