-- define_pipeline for all pipelines of a process at once: all are defined or none. p_pipelines is an array of {"name", "stages", "options"},
-- the arguments of define_pipeline. Returns the stages in the order of the pipelines given.
create or replace function lockstep.define_pipelines(p_pipelines jsonb)
returns table (pipeline text, stage text, stage_id integer)
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_given record;
  v_changed integer[] := '{}';    -- pipelines that were not stored like this
  v_twice text;
begin
  if coalesce(jsonb_typeof(p_pipelines), 'null') <> 'array' then
    raise exception 'define_pipelines needs an array of pipelines.'
      using errcode = 'LS001', hint = 'Give p_pipelines as a JSON array, such as [{"name": "orders", "stages": [{"name": "send"}]}].';
  end if;
  select g.given ->> 'name' into v_twice
  from jsonb_array_elements(p_pipelines) as g (given) group by 1 having count(*) > 1 limit 1;
  if found then
    raise exception 'Pipeline "%" is given twice.', coalesce(v_twice, '')
      using errcode = 'LS001', hint = 'Give each pipeline once, under a name of its own.';
  end if;

  -- What is stored as given is neither locked nor written. All processes lock the others in this order.
  for v_given in
    select g.given ->> 'name' as name, g.given -> 'stages' as stages, g.given -> 'options' as options
    from jsonb_array_elements(p_pipelines) as g (given)
    where not exists (
      select
      from lockstep.pipelines p
      where p.name = g.given ->> 'name'
        and p.definition_hash = lockstep.definition_hash(g.given -> 'stages', g.given -> 'options')
    )
    order by g.given ->> 'name' collate "C"
  loop
    v_changed := v_changed || lockstep.apply_definition(v_given.name, v_given.stages, v_given.options);
  end loop;

  -- Jobs that already run count for a new limit. They are locked by id, as settles do it, and so those of all pipelines at once: otherwise
  -- the two could deadlock.
  if exists (select from lockstep.stages s where s.pipeline_id = any (v_changed) and s.is_gated) then
    with running as materialized (
      select j.id
      from lockstep.jobs j
      where j.stage_id in (select s.id from lockstep.stages s where s.pipeline_id = any (v_changed) and s.is_gated)
        and j.status = 'processing' and not j.counted
      order by j.id
      for no key update of j
    )
    update lockstep.jobs j
    set counted = true
    from running r
    where j.id = r.id;
  end if;

  if cardinality(v_changed) > 0 then
    perform lockstep.apply_budgets(
      (
        select coalesce(jsonb_agg(b), '[]')
        from jsonb_array_elements(p_pipelines) as g (given)
        join lockstep.pipelines p on p.name = g.given ->> 'name' and p.id = any (v_changed)
        cross join lateral jsonb_array_elements(nullif(g.given #> '{options,budgets}', 'null')) b
      ),
      v_changed
    );
  end if;

  return query
    select p.name, s.name, s.id
    from jsonb_array_elements(p_pipelines) with ordinality as g (given, number)
    join lockstep.pipelines p on p.name = g.given ->> 'name'
    join lockstep.stages s on s.pipeline_id = p.id
    where case
      when coalesce((g.given #>> '{options,version}')::integer, 1) < p.version
        then s.name in (select known ->> 'name' from jsonb_array_elements(g.given -> 'stages') known)
      else s.ordinal is not null
    end
    order by g.number, s.ordinal, s.id;
end;
$$;
