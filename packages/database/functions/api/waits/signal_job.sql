-- Tells a job something that one of its stages waits for. p_by is who says it, and is recorded (list_actions) unless p_is_recorded says
-- that the caller does that. A value that does not fit the schema of the wait is refused (LS009). Answers
--   signalled          the job was waiting for it, and goes on
--   kept               the job is not there yet, or the wait is paused: it is taken as soon as the job may go on
--   already_signalled  this wait has had its signal
--   timed_out          the job has left the wait, or gone past it, without a signal
--   already_finished   the job has ended
--   not_found          there is no such job
--   no_such_wait       its pipeline has no such wait
--   not_allowed        the wait does not take signals from the owner of the job, or from somebody who does not say who they are
--   changed            p_if_version is given and the job has another version by now, or p_if_shown and it has other data
create or replace function lockstep.signal_job(
  p_id uuid,
  p_name text,
  p_value jsonb default 'null',
  p_by text default null,
  p_if_version text default null,
  p_if_shown jsonb default null,          -- {"stages", "hash"}, as shown_hash gives it: what somebody has decided on
  p_is_recorded boolean default false,
  p_now timestamptz default clock_timestamp()
)
returns text
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_answer text;
begin
  v_answer := lockstep.take_signal(p_id, p_name, coalesce(p_value, 'null'), p_by, p_if_version, p_if_shown, p_now);
  if p_by is not null and p_is_recorded is not true then
    perform lockstep.record_action(
      p_by, 'jobs.signal', 'jobs/' || p_id, v_answer, p_detail => jsonb_build_object('signal', left(p_name, 100)), p_now => p_now
    );
  end if;
  return v_answer;
end;
$$;
