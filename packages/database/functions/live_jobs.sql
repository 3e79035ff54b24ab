-- A page of the jobs that are not finished, oldest first, for looking through all of them: p_after is the id of the last
-- row seen. Payloads come only with the pipelines named. A page ends after p_limit jobs, or sooner with large payloads.
create or replace function lockstep.live_jobs(
  p_pipelines text[] default '{}',
  p_after uuid default null,
  p_limit integer default 500
)
returns table (id uuid, pipeline text, stage text, payload jsonb)
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
-- By the primary key, whatever the statistics say.
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  v_pipeline_ids integer[] := array(select p.id from lockstep.pipelines p where p.name = any (p_pipelines));
  v_full_bytes constant integer := 4 * 1024 * 1024;
begin
  if p_limit is null or p_limit not between 1 and 1000 then
    raise exception 'The limit is %, but must be from 1 to 1000.', p_limit using errcode = 'LS001';
  end if;

  return query
    with page as materialized (
      select j.id, j.pipeline_id, j.stage_id, case when j.pipeline_id = any (v_pipeline_ids) then j.payload end as payload
      from lockstep.jobs j
      where j.id > coalesce(p_after, '00000000-0000-0000-0000-000000000000')
      order by j.id
      limit p_limit
    ),
    weighed as (
      -- as stored, which needs no unpacking to know
      select page.*, sum(coalesce(pg_column_size(page.payload), 0)) over (order by page.id) as bytes
      from page
    )
    select w.id, p.name, s.name, w.payload
    from weighed w
    join lockstep.stages s on s.id = w.stage_id
    join lockstep.pipelines p on p.id = w.pipeline_id
    where w.bytes - coalesce(pg_column_size(w.payload), 0) < v_full_bytes
    order by w.id;
end;
$$;
