-- How many jobs failed with each kind of error from p_from to p_to, step by step: a row for each of the 100 most recent kinds.
-- Counts jobs that are still failed, each at its last failure, among the newest 10,000 failures before p_to. list_errors counts the
-- same jobs, so the steps never add up to more than it says. A job that is retried or removed is no longer counted. If a pipeline
-- has more failures, the steps before those are null, and the first step that is not may be too small.
create or replace function lockstep.read_error_history(
  p_pipeline text default null,
  p_fingerprint text default null,             -- only this kind; with p_pipeline there is a row even if no job failed with it
  p_from timestamptz default null,             -- null: a day before p_to
  p_to timestamptz default null,               -- null: now
  p_step interval default '1 hour',
  p_look_at integer default 10000,
  p_now timestamptz default clock_timestamp()
)
returns table (
  fingerprint text,
  begins_at timestamptz,    -- of the first step
  jobs integer[]            -- one number for each step
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
  v_from constant timestamptz := lockstep.first_step(coalesce(p_from, v_to - interval '1 day'), v_to, p_step);
begin
  return query
    with seen as materialized (
      select f.pipeline_id, f.fingerprint, date_bin(p_step, f.finished_at, v_from) as at, f.capped
      from lockstep.newest_failures(p_pipeline, null, v_to, p_look_at) f
    ),
    inside as (
      select s.* from seen s where s.at >= v_from
    ),
    looked_at as (
      select s.pipeline_id, min(s.at) as from_at from seen s where s.capped group by s.pipeline_id
    ),
    kinds as (
      select k.pipeline_id, k.fingerprint
      from (
        select s.pipeline_id, s.fingerprint, max(s.at) as last_at
        from inside s
        where s.fingerprint = coalesce(p_fingerprint, s.fingerprint)
        group by s.pipeline_id, s.fingerprint
        union all
        select p.id, p_fingerprint, null
        from lockstep.pipelines p
        where p.name = p_pipeline
          and p_fingerprint is not null
          and not exists (select from inside s where s.fingerprint = p_fingerprint)
      ) k
      order by k.last_at desc, k.fingerprint
      limit 100
    ),
    counted as (
      select s.fingerprint, s.at, count(*)::integer as jobs from inside s group by s.fingerprint, s.at
    )
    select
      k.fingerprint, v_from,
      array_agg(case when t.at < l.from_at then null else coalesce(c.jobs, 0) end order by t.at)
    from kinds k
    cross join generate_series(v_from, v_to - interval '1 microsecond', p_step) as t (at)
    left join looked_at l on l.pipeline_id = k.pipeline_id
    left join counted c on c.fingerprint = k.fingerprint and c.at = t.at
    group by k.pipeline_id, k.fingerprint
    order by k.fingerprint;
end;
$$;
