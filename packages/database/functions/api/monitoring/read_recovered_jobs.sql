-- How many jobs were taken back from lost workers in the last hour, in whole minutes: made pending, failed because they were lost too
-- often, or cancelled as somebody had asked; and how many of them failed. Reads the counters of that hour, not the jobs.
create or replace function lockstep.read_recovered_jobs(p_now timestamptz default clock_timestamp())
returns table (recovered bigint, failed bigint)
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  select
    coalesce(sum(m.jobs), 0)::bigint,
    coalesce(sum(m.jobs) filter (where m.moved_to = 'failed'), 0)::bigint
  from (
    select h.moved_to, h.jobs
    from lockstep.stage_history h
    where h.minute >= date_trunc('minute', p_now - interval '1 hour') and h.minute <= p_now and h.run_bucket = -1
    union all
    select m.moved_to, m.jobs
    from lockstep.stage_moves m
    where m.at >= date_trunc('minute', p_now - interval '1 hour') and m.at <= p_now and m.run_bucket = -1
  ) m;
$$;
