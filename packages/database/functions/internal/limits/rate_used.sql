-- The slices of a rate that still count, with p_jobs more starts. A slice has all starts of a hundredth of the period, and each slice
-- counts for a whole period after its end. So there are never many slices, and no start is dropped early.
create or replace function lockstep.rate_used(
  p_used_jobs integer[],
  p_used_until timestamptz[],
  p_jobs integer,
  p_per_ms bigint,
  p_now timestamptz,
  out used_jobs integer[],
  out used_until timestamptz[]
)
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  select array_agg(l.jobs order by l.until), array_agg(l.until order by l.until)
  from (
    select u.until, sum(u.jobs)::integer as jobs
    from (
      select u.jobs, u.until
      from unnest(p_used_jobs, p_used_until) as u (jobs, until)
      where u.until > p_now and u.until <= p_now + make_interval(secs => p_per_ms / 500.0) + interval '10 seconds'
      union all
      select p_jobs, to_timestamp(
        ceil(date_part('epoch', p_now) * 1000 / greatest(1, p_per_ms / 100.0)) * greatest(1, p_per_ms / 100.0) / 1000
      ) + make_interval(secs => p_per_ms / 1000.0)
    ) u
    group by u.until
  ) l;
$$;
