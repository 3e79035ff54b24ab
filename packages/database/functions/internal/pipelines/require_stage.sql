-- The id of a stage by the names of its pipeline and of itself. Raises an error if there is none.
create or replace function lockstep.require_stage(p_pipeline text, p_stage text)
returns integer
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_stage_id integer;
begin
  select s.id into v_stage_id
  from lockstep.pipelines p
  join lockstep.stages s on s.pipeline_id = p.id
  where p.name = p_pipeline and s.name = p_stage;

  if v_stage_id is null then
    raise exception 'There is no stage "%" in pipeline "%".', p_stage, p_pipeline
      using errcode = 'LS003',
            hint = 'See the list of pipelines for the names that exist. define_pipeline adds to it.';
  end if;
  return v_stage_id;
end;
$$;
