-- Stores one definition of define_pipelines, if it is another than the stored one and its version is not older. Returns the id of the pipeline,
-- or null if nothing was stored.
create or replace function lockstep.apply_definition(p_name text, p_stages jsonb, p_options jsonb)
returns integer
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_hash constant bytea := lockstep.definition_hash(p_stages, p_options);
  v_version constant integer := coalesce((p_options ->> 'version')::integer, 1);
  v_pipeline_id integer;
begin
  if p_name is null or p_name !~ '^[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}$' then
    raise exception '"%" is not a valid name for a pipeline.', coalesce(p_name, '')
      using errcode = 'LS001', hint = 'Use 1 to 100 letters, digits and _ . : -, and begin with a letter or digit.';
  end if;
  if coalesce(jsonb_typeof(p_stages), 'null') <> 'array' or jsonb_array_length(p_stages) = 0 then
    raise exception 'Pipeline "%" needs at least one stage.', p_name
      using errcode = 'LS001', hint = 'Give p_stages as a JSON array, such as [{"name": "send"}].';
  end if;
  if (select count(distinct s ->> 'name') from jsonb_array_elements(p_stages) s) <> jsonb_array_length(p_stages) then
    raise exception 'Two stages of pipeline "%" have the same name, or one has none.', p_name
      using errcode = 'LS001';
  end if;
  perform lockstep.refuse_unfit_waits(p_name, p_stages);
  perform lockstep.refuse_unfit_budgets(p_name, p_stages, p_options -> 'budgets');
  if p_options ->> 'branchOf' is not null and not exists (
    select from lockstep.pipelines p where p.name = p_options ->> 'branchOf' and p.name <> p_name
  ) then
    raise exception 'Pipeline "%" cannot be a branch of "%": there is no such pipeline.', p_name, p_options ->> 'branchOf'
      using errcode = 'LS002', hint = 'Define the pipeline with the parallel stage first, then those of its branches.';
  end if;

  insert into lockstep.pipelines (name) values (p_name) on conflict (name) do nothing;
  update lockstep.pipelines p
  set version = v_version,
      max_pending = (p_options ->> 'maxPending')::integer,
      ageing_ms = (p_options ->> 'ageingMs')::bigint,
      logs_events = coalesce((p_options ->> 'events')::boolean, false),
      payload_schema = nullif(p_options -> 'payloadSchema', 'null'),
      payload_predicate = ('strict ' || lockstep.schema_predicate(nullif(p_options -> 'payloadSchema', 'null')))::jsonpath,
      branch_of = (select o.id from lockstep.pipelines o where o.name = p_options ->> 'branchOf'),
      budgets = nullif(array(select b ->> 'name' from jsonb_array_elements(nullif(p_options -> 'budgets', 'null')) b), '{}'),
      has_waits = p_stages @? '$[*] ? (@.kind == "wait")',
      definition_hash = v_hash
  where p.name = p_name and p.version <= v_version
    and (p.definition_hash = v_hash) is not true    -- another worker may just have stored the same
  returning p.id into v_pipeline_id;
  if not found then
    return null;
  end if;

  update lockstep.stages s set ordinal = null where s.pipeline_id = v_pipeline_id;

  insert into lockstep.stages as s (
    pipeline_id, name, ordinal,
    max_attempts, max_losses, timeout_ms, retry_kind, retry_base_ms, retry_cap_ms,
    retry_jitter, concurrency, group_concurrency, rate_jobs, rate_per_ms, group_rate_jobs, group_rate_per_ms, breaker,
    kind, wait_ms, on_timeout, signal_schema, signal_predicate, not_by_owner, branches, spends
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
      retry_jitter = excluded.retry_jitter,
      concurrency = excluded.concurrency,
      group_concurrency = excluded.group_concurrency,
      rate_jobs = excluded.rate_jobs,
      rate_per_ms = excluded.rate_per_ms,
      group_rate_jobs = excluded.group_rate_jobs,
      group_rate_per_ms = excluded.group_rate_per_ms,
      breaker = excluded.breaker,
      wait_ms = excluded.wait_ms,
      on_timeout = excluded.on_timeout,
      signal_schema = excluded.signal_schema,
      signal_predicate = excluded.signal_predicate,
      not_by_owner = excluded.not_by_owner,
      branches = excluded.branches,
      spends = excluded.spends;

  update lockstep.stages s
  set next_stage_id = n.id,
      next_waits = coalesce(n.kind in ('wait', 'sleep'), false),
      timeout_stage_id = (
        select t.id from lockstep.stages t
        where s.on_timeout not in ('fail', 'continue') and t.pipeline_id = v_pipeline_id and t.name = s.on_timeout
      )
  from lockstep.stages h
  left join lockstep.stages n on n.pipeline_id = v_pipeline_id and n.ordinal = h.ordinal + 1
  where s.pipeline_id = v_pipeline_id and s.ordinal is not null and h.id = s.id;

  return v_pipeline_id;
end;
$$;
