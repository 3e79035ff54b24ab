-- Whether a shared task is due: its interval is over, or PostgreSQL's clock was set back since the last time.
create or replace function lockstep.is_upkeep_due(p_done_at timestamptz, p_interval interval, p_now timestamptz)
returns boolean
language sql
stable
as $$
  select p_done_at <= p_now - p_interval or p_done_at > p_now + interval '10 seconds';
$$;
