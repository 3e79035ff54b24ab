-- The jobs that failed last and are still failed, at most p_look_at of them. Each pipeline gets the same share; what some do not need goes
-- to those that have more. capped: the pipeline may have more failures in that period, older than these.
create or replace function lockstep.newest_failures(
  p_pipeline text,           -- null: all pipelines
  p_from timestamptz,        -- null: no lower limit
  p_to timestamptz,          -- null: no upper limit
  p_look_at integer
)
returns table (pipeline_id integer, stage_id integer, fingerprint text, finished_at timestamptz, capped boolean)
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_pipeline_ids integer[];
  v_share integer;
  v_found integer;
  v_capped integer;
begin
  if p_look_at is null or p_look_at not between 1 and 1000000 then
    raise exception 'p_look_at is %, but must be from 1 to 1,000,000.', p_look_at using errcode = 'LS001';
  end if;
  select array_agg(distinct p.id) into v_pipeline_ids
  from lockstep.queue_stats() s
  join lockstep.pipelines p on p.name = s.pipeline
  where s.status = 'failed' and s.jobs > 0 and s.pipeline = coalesce(p_pipeline, s.pipeline);
  v_share := greatest(p_look_at / coalesce(cardinality(v_pipeline_ids), 1), 1);
  for v_round in 1 .. 4 loop
    exit when v_share >= p_look_at;
    select sum(c.jobs), count(*) filter (where c.jobs >= v_share)
    into v_found, v_capped
    from unnest(v_pipeline_ids) as a (id)
    cross join lateral (
      select count(*) as jobs
      from (
        select from lockstep.unsuccessful_jobs f
        where f.pipeline_id = a.id
          and f.status = 'failed'
          and f.finished_at >= coalesce(p_from, '-infinity')
          and f.finished_at < coalesce(p_to, 'infinity')
        order by f.finished_at desc, f.id desc
        limit v_share
      ) f
    ) c;
    exit when v_capped = 0 or p_look_at - v_found < v_capped;
    v_share := v_share + (p_look_at - v_found) / v_capped;
  end loop;

  return query
    select f.pipeline_id, f.stage_id, f.fingerprint, f.finished_at, count(*) over (partition by f.pipeline_id) >= v_share
    from unnest(v_pipeline_ids) as a (id)
    cross join lateral (
      select f.pipeline_id, f.stage_id, f.fingerprint, f.finished_at
      from lockstep.unsuccessful_jobs f
      where f.pipeline_id = a.id
        and f.status = 'failed'
        and f.finished_at >= coalesce(p_from, '-infinity')
        and f.finished_at < coalesce(p_to, 'infinity')
      order by f.finished_at desc, f.id desc
      limit v_share
    ) f;
end;
$$;
