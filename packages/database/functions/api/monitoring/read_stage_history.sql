-- What happened in each stage of a pipeline, or in one of them, from p_from to p_to: a row for every step and stage, even if nothing
-- happened. Reads the history by hour if steps are whole hours, otherwise by minute (both are kept for thirty days), and the moves that are
-- not folded yet. An attempt counts in the step in which it ended. Waits and runs are those of attempts that their handler ended.
create or replace function lockstep.read_stage_history(
  p_pipeline text,
  p_stage text default null,
  p_from timestamptz default null,             -- null: an hour before p_to
  p_to timestamptz default null,               -- null: now
  p_step interval default '1 minute',
  p_now timestamptz default clock_timestamp()
)
returns table (
  at timestamptz,
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
  wait_p50_ms double precision,
  wait_p95_ms double precision,
  run_p50_ms double precision,
  run_p95_ms double precision
)
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
set timezone = 'UTC'    -- so that every day has 24 hours, in summer time too
as $$
#variable_conflict use_column
declare
  v_to constant timestamptz := coalesce(p_to, p_now);
  v_from constant timestamptz := lockstep.first_step(coalesce(p_from, v_to - interval '1 hour'), v_to, p_step);
  -- Steps of whole hours begin at a full hour. Up to the last full hour before p_to they are read by hour, the rest by minute.
  v_hours_to constant timestamptz :=
    case when date_part('epoch', p_step)::numeric % 3600 = 0 then date_trunc('hour', v_to) else v_from end;
  v_stage_ids integer[];
begin
  if p_stage is null then
    v_stage_ids := array(
      select s.id
      from lockstep.stages s join lockstep.pipelines p on p.id = s.pipeline_id
      where p.name = p_pipeline and s.ordinal is not null
    );
    if cardinality(v_stage_ids) = 0 then
      raise exception 'There is no pipeline "%".', p_pipeline using errcode = 'LS002';
    end if;
  else
    v_stage_ids := array[lockstep.require_stage(p_pipeline, p_stage)];
  end if;

  return query
    -- added up first, since a day of a busy pipeline has tens of thousands of rows
    with moves as materialized (
      select k.at, k.stage_id, k.moved_from, k.moved_to, k.wait_bucket, k.run_bucket, sum(k.jobs)::bigint as jobs
      from (
        select date_bin(p_step, h.minute, v_from) as at, h.stage_id, h.moved_from, h.moved_to, h.wait_bucket, h.run_bucket, h.jobs
        from lockstep.stage_history h
        where h.stage_id = any (v_stage_ids) and h.minute >= v_hours_to and h.minute < v_to
        union all
        select date_bin(p_step, h.hour, v_from), h.stage_id, h.moved_from, h.moved_to, h.wait_bucket, h.run_bucket, h.jobs
        from lockstep.stage_history_by_hour h
        where h.stage_id = any (v_stage_ids) and h.hour >= v_from and h.hour < v_hours_to
        union all
        select date_bin(p_step, m.at, v_from), m.stage_id, m.moved_from, m.moved_to, m.wait_bucket, m.run_bucket, m.jobs
        from lockstep.stage_moves m
        where m.stage_id = any (v_stage_ids) and m.at >= v_from and m.at < v_to
      ) k
      group by k.at, k.stage_id, k.moved_from, k.moved_to, k.wait_bucket, k.run_bucket
    ),
    counted as (
      select
        m.at, m.stage_id,
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
        sum(k.skipped)::bigint as skipped,
        array_agg(m.wait_bucket) filter (where m.wait_bucket > 0) as wait_buckets,
        array_agg(m.jobs) filter (where m.wait_bucket > 0) as waits,
        array_agg(m.run_bucket) filter (where m.run_bucket > 0) as run_buckets,
        array_agg(m.jobs) filter (where m.run_bucket > 0) as runs
      from moves m
      cross join lateral lockstep.moved_as(m.moved_from, m.moved_to, m.run_bucket, m.jobs) k
      group by m.at, m.stage_id
    )
    select
      t.at, s.name,
      coalesce(c.entered, 0), coalesce(c.started, 0), coalesce(c.advanced, 0),
      coalesce(c.completed, 0), coalesce(c.retrying, 0), coalesce(c.failed, 0),
      coalesce(c.snoozed, 0), coalesce(c.released, 0), coalesce(c.lost, 0),
      coalesce(c.cancelled, 0), coalesce(c.skipped, 0),
      lockstep.bucket_percentile(c.wait_buckets, c.waits, 0.5),
      lockstep.bucket_percentile(c.wait_buckets, c.waits, 0.95),
      lockstep.bucket_percentile(c.run_buckets, c.runs, 0.5),
      lockstep.bucket_percentile(c.run_buckets, c.runs, 0.95)
    from generate_series(v_from, v_to - interval '1 microsecond', p_step) as t (at)
    cross join lockstep.stages s
    left join counted c on c.at = t.at and c.stage_id = s.id
    where s.id = any (v_stage_ids)
    order by t.at, s.ordinal, s.id;
end;
$$;
