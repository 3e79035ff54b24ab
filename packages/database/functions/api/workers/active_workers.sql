-- The registered workers and what they hold: how many jobs, and when the oldest and the newest of them was claimed.
create or replace function lockstep.active_workers(p_now timestamptz default clock_timestamp())
returns table (
  worker_id uuid,
  name text,
  host text,
  pid integer,
  version text,
  alive boolean,
  started_at timestamptz,
  heartbeat_at timestamptz,
  lease_until timestamptz,
  stages text[],
  active_jobs bigint,
  oldest_job timestamptz,
  newest_job timestamptz,
  report jsonb
)
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  select
    w.id, w.name, w.host, w.pid, w.version,
    w.lost_at is null and w.lease_until > p_now,
    w.started_at, w.heartbeat_at, w.lease_until,
    array(
      select p.name || '/' || s.name
      from lockstep.stages s join lockstep.pipelines p on p.id = s.pipeline_id
      where s.id = any (w.stage_ids)
      order by p.name, s.ordinal
    ),
    held.jobs, held.oldest, held.newest, w.report
  from lockstep.workers w
  cross join lateral (
    select count(*) as jobs, min(j.claimed_at) as oldest, max(j.claimed_at) as newest
    from lockstep.held_jobs(w.id) j
  ) held
  order by w.started_at, w.id;
$$;
