-- Says in one call whether a process and this database agree, which they nearly always do: the newest migration is p_schema_version, and
-- each pipeline is stored exactly as given. p_pipelines is an array of {"name", "stages", "options"}, as define_pipeline takes them.
-- Returns one row, with the ids of the stages as {pipeline: {stage: id}}, or none if they do not agree. A caller may therefore join its
-- first add to it, which then happens only if they do.
create or replace function lockstep.recognize_pipelines(p_schema_version integer, p_pipelines jsonb)
returns table (stage_ids jsonb)
language sql
stable
rows 1
security definer
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(jsonb_object_agg(g.pipeline ->> 'name', known.ids), '{}')
  from jsonb_array_elements(p_pipelines) as g (pipeline)
  cross join lateral (
    select jsonb_object_agg(s.name, s.id) as ids
    from lockstep.pipelines p
    join lockstep.stages s on s.pipeline_id = p.id and s.ordinal is not null
    where p.name = g.pipeline ->> 'name'
      and p.definition_hash = lockstep.definition_hash(g.pipeline -> 'stages', g.pipeline -> 'options')
  ) known
  having count(*) = count(known.ids) and p_schema_version = (select max(m.version) from lockstep.migrations m);
$$;
