-- The jobs that failed last and are failed still, p_look_at of them at most: as many of each pipeline as of the others.
-- capped: the pipeline may have more of that time, which failed before these.
create or replace function lockstep.newest_failures(
  p_pipeline text,           -- null: of all
  p_from timestamptz,        -- null: as far back as there are any
  p_to timestamptz,          -- null: to the last one
  p_look_at integer
)
returns table (pipeline_id integer, stage_id integer, fingerprint text, finished_at timestamptz, capped boolean)
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_mergejoin = off
set jit = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_pipeline_ids integer[];
  v_share integer;
begin
  if p_look_at is null or p_look_at not between 1 and 1000000 then
    raise exception 'p_look_at is %, but must be from 1 to 1,000,000.', p_look_at using errcode = 'LS001';
  end if;
  select array_agg(distinct p.id) into v_pipeline_ids
  from lockstep.queue_stats() s
  join lockstep.pipelines p on p.name = s.pipeline
  where s.status = 'failed' and s.jobs > 0 and s.pipeline = coalesce(p_pipeline, s.pipeline);
  v_share := greatest(p_look_at / coalesce(cardinality(v_pipeline_ids), 1), 1);

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
