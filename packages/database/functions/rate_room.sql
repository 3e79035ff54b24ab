-- How many more may start under a rate, given the lots that still count, and when the next place comes free.
-- No window of the rate's length ever holds more: each start counts for the whole period after it.
create or replace function lockstep.rate_room(
  p_rate_jobs integer,
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
  where u.until > p_now;
$$;
