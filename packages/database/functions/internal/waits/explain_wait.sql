-- The row of explain_job for a job that is in a stage that waits.
create or replace function lockstep.explain_wait(
  p_stage text,
  p_kind text,
  p_since timestamptz,
  p_due_at timestamptz,
  p_on_timeout text,
  p_now timestamptz
)
returns table (reason text, explanation text, detail jsonb)
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  select
    case when p_kind = 'wait' then 'waits_for_signal' else 'sleeps' end,
    format(
      case when p_kind = 'wait' then 'It waits for signal %s since %s' else 'It sleeps in stage %s since %s' end,
      p_stage, to_char(p_since at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"')
    ) || case
      when p_due_at = lockstep.never() then ', for as long as it takes.'
      else format(
        ', until %s (%s s from now)%s.',
        to_char(p_due_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"'), ceil(date_part('epoch', p_due_at - p_now)),
        case
          when p_kind = 'sleep' then ''
          when p_on_timeout = 'fail' then '; then it fails'
          when p_on_timeout = 'continue' then '; then it continues without one'
          else format('; then it continues in stage %s', p_on_timeout)
        end
      )
    end,
    jsonb_strip_nulls(jsonb_build_object(
      'signal', case when p_kind = 'wait' then p_stage end,
      'beganAt', p_since,
      'endsAt', nullif(p_due_at, lockstep.never()),
      'onTimeout', p_on_timeout
    ));
$$;
