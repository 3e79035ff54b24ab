-- What happened in each stage since it was defined. These numbers only grow, so that a monitor that reads them now and then can take
-- the difference. waits[i] and runs[i] are how many attempts fell into bucket i of time_bucket.
create or replace function lockstep.read_stage_totals()
returns table (
  pipeline text,
  stage text,
  entered bigint,
  started bigint,
  advanced bigint,
  completed bigint,
  retrying bigint,
  failed bigint,
  snoozed bigint,
  released bigint,
  lost bigint,
  cancelled bigint,
  skipped bigint,
  waits bigint[],
  runs bigint[]
)
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  with moves as materialized (
    select t.stage_id, t.moved_from, t.moved_to, t.wait_bucket, t.run_bucket, t.jobs from lockstep.stage_totals t
    union all
    select m.stage_id, m.moved_from, m.moved_to, m.wait_bucket, m.run_bucket, m.jobs from lockstep.stage_moves m
  ),
  counted as (
    select
      m.stage_id,
      sum(k.entered)::bigint as entered,
      sum(k.started)::bigint as started,
      sum(k.advanced)::bigint as advanced,
      sum(k.completed)::bigint as completed,
      sum(k.retrying)::bigint as retrying,
      sum(k.failed)::bigint as failed,
      sum(k.snoozed)::bigint as snoozed,
      sum(k.released)::bigint as released,
      sum(k.lost)::bigint as lost,
      sum(k.cancelled)::bigint as cancelled,
      sum(k.skipped)::bigint as skipped
    from moves m
    cross join lateral lockstep.moved_as(m.moved_from, m.moved_to, m.run_bucket, m.jobs) k
    group by m.stage_id
  ),
  waited as (
    select w.stage_id, array_agg(w.jobs order by w.bucket) as jobs
    from (
      select s.id as stage_id, b.bucket, coalesce(sum(m.jobs), 0)::bigint as jobs
      from lockstep.stages s
      cross join generate_series(1, 30) as b (bucket)
      left join moves m on m.stage_id = s.id and m.wait_bucket = b.bucket
      group by s.id, b.bucket
    ) w
    group by w.stage_id
  ),
  ran as (
    select r.stage_id, array_agg(r.jobs order by r.bucket) as jobs
    from (
      select s.id as stage_id, b.bucket, coalesce(sum(m.jobs), 0)::bigint as jobs
      from lockstep.stages s
      cross join generate_series(1, 30) as b (bucket)
      left join moves m on m.stage_id = s.id and m.run_bucket = b.bucket
      group by s.id, b.bucket
    ) r
    group by r.stage_id
  )
  select
    p.name, s.name,
    coalesce(c.entered, 0), coalesce(c.started, 0), coalesce(c.advanced, 0),
    coalesce(c.completed, 0), coalesce(c.retrying, 0), coalesce(c.failed, 0),
    coalesce(c.snoozed, 0), coalesce(c.released, 0), coalesce(c.lost, 0),
    coalesce(c.cancelled, 0), coalesce(c.skipped, 0),
    waited.jobs, ran.jobs
  from lockstep.stages s
  join lockstep.pipelines p on p.id = s.pipeline_id
  join waited on waited.stage_id = s.id
  join ran on ran.stage_id = s.id
  left join counted c on c.stage_id = s.id
  order by p.name, s.ordinal, s.id;
$$;
