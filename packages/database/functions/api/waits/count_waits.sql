-- How many jobs list_waits would list with these arguments, counted up to p_cap.
create or replace function lockstep.count_waits(
  p_pipeline text default null,
  p_owner text default null,
  p_signal text default null,
  p_cap integer default 10001
)
returns bigint
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  select count(*)
  from (
    select j.id
    from lockstep.stages s
    join lockstep.pipelines p on p.id = s.pipeline_id
    join lockstep.jobs j on j.stage_id = s.id and j.position is null and j.scheduled_for is not null
    where s.kind = 'wait'
      and (p_pipeline is null or p.name = p_pipeline)
      and (p_owner is null or j.owner = p_owner)
      and (p_signal is null or s.name = p_signal)
    limit least(greatest(coalesce(p_cap, 10001), 1), 100000)
  ) w;
$$;
