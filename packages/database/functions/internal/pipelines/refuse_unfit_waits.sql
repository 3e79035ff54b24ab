-- Raises an error if define_pipeline was given stages that wait, and cannot be used as given. Does nothing if all can.
create or replace function lockstep.refuse_unfit_waits(p_pipeline text, p_stages jsonb)
returns void
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_stage record;
begin
  for v_stage in
    select
      g.stage ->> 'name' as name, g.ordinality, coalesce(g.stage ->> 'kind', 'work') as kind, s.kind as known_kind,
      g.stage -> 'waitMs' as wait_ms, g.stage ->> 'onTimeout' as on_timeout, g.stage ->> 'notBy' as not_by,
      (
        select t.ordinality
        from jsonb_array_elements(p_stages) with ordinality as t (stage, ordinality)
        where t.stage ->> 'name' = g.stage ->> 'onTimeout'
      ) as timeout_ordinality
    from jsonb_array_elements(p_stages) with ordinality as g (stage, ordinality)
    left join lockstep.pipelines p on p.name = p_pipeline
    left join lockstep.stages s on s.pipeline_id = p.id and s.name = g.stage ->> 'name'
    where coalesce(g.stage ->> 'kind', 'work') <> 'work' or s.kind <> 'work'
  loop
    -- Jobs may be in the stage. A job that waits there would have no handler to run, or a job that is due no time to wait for.
    if v_stage.known_kind <> v_stage.kind and 'work' = any (array[v_stage.known_kind, v_stage.kind]) then
      raise exception 'Stage "%" of pipeline "%" cannot become a stage that %: it is one that %.', v_stage.name, p_pipeline,
        case v_stage.kind when 'work' then 'workers run' else 'waits' end,
        case v_stage.kind when 'work' then 'waits' else 'workers run' end
        using errcode = 'LS003', hint = 'Jobs may be in it. Give the new stage another name; this one keeps its jobs.';
    elsif v_stage.known_kind <> v_stage.kind then
      raise exception 'Stage "%" of pipeline "%" cannot become a %: it is a %.', v_stage.name, p_pipeline, v_stage.kind, v_stage.known_kind
        using errcode = 'LS003', hint = 'Jobs may be in it. Give the new stage another name; this one keeps its jobs.';
    elsif v_stage.kind not in ('work', 'wait', 'sleep') then
      raise exception 'Stage "%" of pipeline "%" has the kind "%", but must be of the kind work, wait or sleep.',
        v_stage.name, p_pipeline, left(v_stage.kind, 100)
        using errcode = 'LS001';
    elsif v_stage.kind in ('wait', 'sleep') and v_stage.ordinality = 1 then
      raise exception 'Pipeline "%" begins with stage "%", which waits: its first stage must be one that workers run.',
        p_pipeline, v_stage.name
        using errcode = 'LS001', hint = 'Put a stage before it, or add jobs with the time at which they begin.';
    elsif v_stage.kind in ('wait', 'sleep') and not coalesce(
      case when jsonb_typeof(v_stage.wait_ms) = 'number' then (v_stage.wait_ms)::numeric between 1 and 157680000000
        when v_stage.kind = 'wait' then coalesce(v_stage.wait_ms, 'null') = 'null' end, false
    ) then
      raise exception 'The time of stage "%" of pipeline "%" must be a number of milliseconds from 1 to 157680000000 (5 years)%.',
        v_stage.name, p_pipeline, case v_stage.kind when 'wait' then ', or null for none' else '' end
        using errcode = 'LS001';
    elsif v_stage.kind = 'wait' and v_stage.on_timeout not in ('fail', 'continue')
      and (v_stage.timeout_ordinality > v_stage.ordinality) is not true
    then
      raise exception 'onTimeout of wait "%" of pipeline "%" is "%", but must be fail, continue or the name of a later stage.',
        v_stage.name, p_pipeline, left(v_stage.on_timeout, 100)
        using errcode = 'LS001';
    elsif v_stage.kind = 'wait' and v_stage.not_by <> 'owner' then
      raise exception 'notBy of wait "%" of pipeline "%" is "%", but can only be owner.', v_stage.name, p_pipeline, left(v_stage.not_by, 100)
        using errcode = 'LS001';
    end if;
  end loop;
end;
$$;
