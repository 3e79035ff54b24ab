-- The schedules of its pipelines that a worker must attend to now or within p_within: those whose next tick comes, and those that
-- have no next tick yet. All times are PostgreSQL's, so that no worker's clock decides when a tick is due.
create or replace function lockstep.due_schedules(
  p_pipelines text[],
  p_within interval default '5 seconds',
  p_limit integer default 100,
  p_now timestamptz default clock_timestamp()
)
returns table (
  name text,
  revision uuid,
  pipeline text,
  cron text,
  time_zone text,
  payload jsonb,
  missed text,
  counts_from timestamptz,
  next_at timestamptz,
  problem text,
  wait_ms double precision,   -- how long until a worker must act; 0: now
  now timestamptz
)
language plpgsql    -- planned once per connection, since every idle worker calls it now and then
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  return query
  select
    s.name, s.revision, p.name, s.cron, s.time_zone, s.payload, s.missed, s.counts_from, s.next_at, s.problem,
    case when s.look_at > p_now then extract(epoch from s.look_at - p_now) * 1000 else 0 end::double precision,
    p_now
  from lockstep.pipelines p
  cross join lateral (
    select * from lockstep.schedules s
    where s.pipeline_id = p.id and s.look_at <= p_now + p_within
    order by s.look_at
    limit p_limit
  ) s
  where p.name = any (p_pipelines)
  order by s.look_at
  limit p_limit;
end;
$$;
