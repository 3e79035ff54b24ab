-- A text that is another one after every move of a job (and not after its progress), for whoever wants to change a job only
-- as it was when it was looked at. Plain SQL without settings, so that it is inlined.
create or replace function lockstep.job_version(
  p_status lockstep.job_status,
  p_stage_id integer,
  p_position bigint,                    -- null for a finished job, as the last is for a live one
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
  -- Instants as numbers: as texts they would follow the session's time zone.
  select left(md5(format('%s %s %s %s %s %s %s %s %s',
    p_status, p_stage_id, p_position, p_attempt, p_losses,
    extract(epoch from p_scheduled_for), extract(epoch from p_claimed_at),
    extract(epoch from p_cancel_requested_at), extract(epoch from p_finished_at)
  )), 16);
$$;
