-- How many more jobs may start under a rate, and when the next slot is free, given the slices of rate_used.
-- Each start counts for a whole period after it, so no window of that length ever has more starts than the rate allows.
create or replace function lockstep.rate_room(
  p_rate_jobs integer,
  p_per_ms bigint,
  p_used_jobs integer[],
  p_used_until timestamptz[],
  p_now timestamptz
)
returns table (room integer, free_at timestamptz)
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  select greatest(0, p_rate_jobs - coalesce(sum(u.jobs), 0))::integer, min(u.until)
  from unnest(p_used_jobs, p_used_until) as u (jobs, until)
  where u.until > p_now
    -- a slice never counts for longer than this; if one would, PostgreSQL's clock was set back since
    and u.until <= p_now + make_interval(secs => p_per_ms / 500.0) + interval '10 seconds';
$$;
