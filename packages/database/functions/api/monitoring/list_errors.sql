-- The errors of failed jobs by kind, the most recent first or, with p_sort '-jobs', those of the most jobs first. Reads the newest 10,000
-- failures (newest_failures). capped: the pipeline has more failures than were read, so that jobs is a minimum.
create or replace function lockstep.list_errors(
  p_pipeline text default null,
  p_stage text default null,
  p_since timestamptz default null,
  p_limit integer default 100,
  p_look_at integer default 10000,
  p_sort text default '-lastAt'
)
returns table (
  fingerprint text,
  pipeline text,
  stage text,
  name text,
  message text,
  jobs bigint,
  first_at timestamptz,
  last_at timestamptz,
  sample_id uuid,
  capped boolean
)
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_stage_id integer;
begin
  if p_limit is null or p_limit not between 1 and 1000 then
    raise exception 'The limit is %, but must be from 1 to 1000.', p_limit using errcode = 'LS001';
  end if;
  if p_sort is null or p_sort not in ('-lastAt', '-jobs') then
    raise exception 'p_sort is "%", but must be -lastAt or -jobs.', p_sort using errcode = 'LS001';
  end if;
  if p_stage is not null then
    v_stage_id := lockstep.require_stage(p_pipeline, p_stage);
  end if;

  return query
    with seen as materialized (
      select f.* from lockstep.newest_failures(p_pipeline, p_since, null, p_look_at) f
    ),
    kinds as (
      select
        s.fingerprint, s.pipeline_id, s.stage_id, count(*) as jobs, min(s.finished_at) as first_at, max(s.finished_at) as last_at,
        bool_or(s.capped) as capped
      from seen s
      where s.fingerprint is not null and (v_stage_id is null or s.stage_id = v_stage_id)
      group by s.fingerprint, s.pipeline_id, s.stage_id
      order by case when p_sort = '-jobs' then count(*) end desc, max(s.finished_at) desc
      limit p_limit
    )
    select
      k.fingerprint, p.name, s.name, f.error ->> 'name', left(f.error ->> 'message', 1000), k.jobs, k.first_at, k.last_at, f.id, k.capped
    from kinds k
    cross join lateral (
      select f.id, f.error
      from lockstep.unsuccessful_jobs f
      where f.pipeline_id = k.pipeline_id and f.status = 'failed' and f.finished_at = k.last_at and f.fingerprint = k.fingerprint
      order by f.finished_at desc, f.id desc
      limit 1
    ) f
    join lockstep.stages s on s.id = k.stage_id
    join lockstep.pipelines p on p.id = k.pipeline_id
    order by case when p_sort = '-jobs' then k.jobs end desc, k.last_at desc, k.fingerprint;
end;
$$;
