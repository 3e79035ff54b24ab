-- When the first step of a history begins. Two calls with the same step cut time at the same places. Raises an error for an invalid period
-- or step.
create or replace function lockstep.first_step(p_from timestamptz, p_to timestamptz, p_step interval)
returns timestamptz
language plpgsql
immutable
security definer
set search_path = pg_catalog, pg_temp
set timezone = 'UTC'
as $$
declare
  v_from timestamptz;
begin
  if p_step is null or p_step < interval '1 minute' or extract(month from p_step) <> 0 or extract(year from p_step) <> 0 then
    raise exception 'A step of the history must be at least a minute, without months or years, not %.', coalesce(p_step::text, 'null')
      using errcode = 'LS001', hint = 'Use, for example, 1 minute, 5 minutes, 1 hour or 1 day.';
  end if;
  v_from := date_bin(p_step, p_from, '2000-01-01 00:00:00+00');
  if v_from >= p_to then
    raise exception 'The history from % to % is empty: it must begin before it ends.', v_from, p_to using errcode = 'LS001';
  end if;
  if v_from + 1000 * p_step < p_to then
    raise exception 'The history from % to % has more than 1000 steps of %.', v_from, p_to, p_step
      using errcode = 'LS001', hint = 'Ask for a shorter period or a longer step.';
  end if;
  return v_from;
end;
$$;
