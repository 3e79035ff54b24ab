-- A page of the live jobs, oldest first, for a program that goes through all of them. p_after is the id of the last row of the previous
-- page. Payloads are returned only for the pipelines named. A page has p_limit jobs, or fewer if payloads are large.
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
      -- the stored size, which is known without decompressing the payload
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
