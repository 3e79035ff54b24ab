-- Registers a pipeline or changes its stages. p_stages is an array of
-- {"name", "maxAttempts", "maxLosses", "timeoutMs", "retry": {"kind", "baseMs", "capMs", "jitter"}}, in order.
-- A stage that is left out keeps its jobs and its way on, but no job enters it any more.
create or replace function lockstep.define_pipeline(p_name text, p_stages jsonb)
returns table (stage text, stage_id integer)
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_pipeline_id integer;
  v_changed boolean;
begin
  if p_name is null or p_name !~ '^[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}$' then
    raise exception 'A pipeline cannot be named "%".', coalesce(p_name, '')
      using errcode = 'LS001', hint = 'Use 1 to 100 letters, digits, and _ . : -';
  end if;
  if coalesce(jsonb_typeof(p_stages), 'null') <> 'array' or jsonb_array_length(p_stages) = 0 then
    raise exception 'Pipeline "%" needs at least one stage.', p_name
      using errcode = 'LS001', hint = 'Give p_stages as a JSON array, such as [{"name": "send"}].';
  end if;
  if (select count(distinct s ->> 'name') from jsonb_array_elements(p_stages) s) <> jsonb_array_length(p_stages) then
    raise exception 'Two stages of pipeline "%" have the same name, or one has none.', p_name
      using errcode = 'LS001';
  end if;

  insert into lockstep.pipelines (name) values (p_name) on conflict (name) do nothing;
  select p.id into v_pipeline_id from lockstep.pipelines p where p.name = p_name;

  -- Every starting worker defines its pipelines; one that changes nothing must lock nothing.
  with given as (
    select * from lockstep.given_stages(p_stages)
  ),
  known as (
    select s.name, s.ordinal, s.max_attempts, s.max_losses, s.timeout_ms,
      s.retry_kind, s.retry_base_ms, s.retry_cap_ms, s.retry_jitter
    from lockstep.stages s
    where s.pipeline_id = v_pipeline_id and s.ordinal is not null
  )
  select exists ((table given except table known) union all (table known except table given)) into v_changed;

  if v_changed then
    perform 1 from lockstep.pipelines p where p.id = v_pipeline_id for update;
    update lockstep.stages s set ordinal = null where s.pipeline_id = v_pipeline_id;

    insert into lockstep.stages as s (
      pipeline_id, name, ordinal, max_attempts, max_losses, timeout_ms,
      retry_kind, retry_base_ms, retry_cap_ms, retry_jitter
    )
    select v_pipeline_id, g.*
    from lockstep.given_stages(p_stages) g
    on conflict on constraint one_stage_per_name do update
    set ordinal = excluded.ordinal,
        max_attempts = excluded.max_attempts,
        max_losses = excluded.max_losses,
        timeout_ms = excluded.timeout_ms,
        retry_kind = excluded.retry_kind,
        retry_base_ms = excluded.retry_base_ms,
        retry_cap_ms = excluded.retry_cap_ms,
        retry_jitter = excluded.retry_jitter;

    update lockstep.stages s
    set next_stage_id = (
      select n.id from lockstep.stages n
      where n.pipeline_id = v_pipeline_id and n.ordinal = s.ordinal + 1
    )
    where s.pipeline_id = v_pipeline_id and s.ordinal is not null;
  end if;

  return query
    select s.name, s.id
    from lockstep.stages s
    where s.pipeline_id = v_pipeline_id and s.ordinal is not null
    order by s.ordinal;
end;
$$;
