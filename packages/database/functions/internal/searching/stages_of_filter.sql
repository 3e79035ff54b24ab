-- The ids of the stages that a filter of jobs allows: all if it names none, null if it names an unknown pipeline.
-- Raises an error for an invalid filter.
create or replace function lockstep.stages_of_filter(p_filter jsonb)
returns integer[]
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform lockstep.refuse_unfit_filter(p_filter);
  if p_filter ? 'pipeline' and p_filter ? 'stage' then
    perform lockstep.require_stage(p_filter ->> 'pipeline', p_filter ->> 'stage');
  elsif p_filter ? 'stage' and not exists (select from lockstep.stages s where s.name = p_filter ->> 'stage') then
    raise exception 'There is no stage "%" in any pipeline.', p_filter ->> 'stage' using errcode = 'LS003';
  end if;
  return (
    select array_agg(s.id order by s.id)
    from lockstep.stages s
    join lockstep.pipelines p on p.id = s.pipeline_id
    where (not p_filter ? 'pipeline' or p.name = p_filter ->> 'pipeline')
      and (not p_filter ? 'stage' or s.name = p_filter ->> 'stage')
  );
end;
$$;
