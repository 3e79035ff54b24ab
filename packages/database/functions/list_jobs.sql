-- Jobs, newest first (ids are ordered by time), without payloads. p_before is the id of the last row seen.
create or replace function lockstep.list_jobs(
  p_pipeline text default null,
  p_stage text default null,
  p_status text default null,
  p_owner text default null,
  p_tag text default null,
  p_before uuid default null,
  p_limit integer default 50
)
returns table (
  id uuid,
  pipeline text,
  stage text,
  status lockstep.job_status,
  priority integer,
  attempt integer,
  losses integer,
  progress integer,
  progress_note text,
  owner text,
  dedup_key text,
  tags text[],
  added_at timestamptz,
  scheduled_for timestamptz,
  claimed_at timestamptz,
  finished_at timestamptz,
  cancel_requested_at timestamptz,
  worker_id uuid,
  error jsonb
)
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_status lockstep.job_status := p_status::lockstep.job_status;
  v_before uuid := coalesce(p_before, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
  v_pipeline_ids integer[] := array(
    select p.id from lockstep.pipelines p where p_pipeline is null or p.name = p_pipeline
  );
  v_stage_id integer;
  v_live boolean := v_status is null or v_status in ('scheduled', 'pending', 'processing', 'retrying');
  v_finished boolean := v_status is null or not v_live;
begin
  if p_limit is null or p_limit not between 1 and 200 then
    raise exception 'The limit is %, but must be from 1 to 200.', p_limit using errcode = 'LS001';
  end if;
  if cardinality(v_pipeline_ids) = 0 then return; end if;
  if p_stage is not null then
    v_stage_id := lockstep.require_stage(p_pipeline, p_stage);
  end if;

  return query
    select
      l.id, p.name, s.name, l.status, l.priority::integer, l.attempt::integer, l.losses::integer,
      l.progress::integer, l.progress_note, l.owner, l.dedup_key, coalesce(l.tags, '{}'),
      l.added_at, l.scheduled_for, l.claimed_at, l.finished_at, l.cancel_requested_at, l.worker_id,
      l.error - 'stack'
    from (
      (
        select j.id, j.pipeline_id, j.stage_id, j.status, j.priority, j.attempt, j.losses, j.progress, j.progress_note,
          j.owner, j.dedup_key, j.tags, j.added_at, j.scheduled_for, j.claimed_at, null::timestamptz as finished_at,
          j.cancel_requested_at, j.worker_id,
          j.history[cardinality(j.history)].detail -> 'error' as error
        from lockstep.jobs j
        where v_live
          and j.id < v_before
          and (v_status is null or j.status = v_status)
          and (p_pipeline is null or j.pipeline_id = any (v_pipeline_ids))
          and (v_stage_id is null or j.stage_id = v_stage_id)
          and (p_owner is null or j.owner = p_owner)
          and (p_tag is null or j.tags @> array[p_tag])
        order by j.id desc
        limit p_limit
      )
      union all
      (
        select f.*
        from unnest(v_pipeline_ids) as of_pipeline (id)
        cross join lateral (
          select f.id, f.pipeline_id, f.stage_id, f.status, f.priority, f.attempt, f.losses, f.progress, f.progress_note,
            f.owner, f.dedup_key, f.tags, f.added_at, f.scheduled_for, f.claimed_at, f.finished_at,
            f.cancel_requested_at, f.worker_id, f.error
          from lockstep.finished_jobs f
          where v_finished
            and f.pipeline_id = of_pipeline.id
            and f.id < v_before
            and (v_status is null or f.status = v_status)
            and (v_stage_id is null or f.stage_id = v_stage_id)
            and (p_owner is null or f.owner = p_owner)
            and (p_tag is null or f.tags @> array[p_tag])
          order by f.id desc
          limit p_limit
        ) f
        order by f.id desc
        limit p_limit
      )
    ) l
    join lockstep.stages s on s.id = l.stage_id
    join lockstep.pipelines p on p.id = l.pipeline_id
    order by l.id desc
    limit p_limit;
end;
$$;
