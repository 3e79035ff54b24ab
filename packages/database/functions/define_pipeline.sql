-- Registers a pipeline or changes its stages. p_stages is an array of
-- {"name", "maxAttempts", "maxLosses", "timeoutMs", "retry": {"kind", "baseMs", "capMs", "jitter"},
--  "concurrency", "groupConcurrency", "rate": {"jobs", "perMs"}, "groupRate": {"jobs", "perMs"},
--  "breaker": {"failureRate", "windowMs", "minAttempts", "pauseMs", "per"}}, in order.
-- p_options is {"version", "maxPending", "ageingMs", "events", "payloadSchema"}.
-- A stage that is left out keeps its jobs and its way on, but no job enters it any more. An older version than the one that
-- is known changes nothing: its workers are told the stages they know, and work off what is there.
create or replace function lockstep.define_pipeline(
  p_name text,
  p_stages jsonb,
  p_options jsonb default '{}'
)
returns table (stage text, stage_id integer)
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off    -- what runs is found among all jobs by its own index
as $$
declare
  v_pipeline_id integer;
  v_version integer := coalesce((p_options ->> 'version')::integer, 1);
  v_payload_schema jsonb := nullif(p_options -> 'payloadSchema', 'null');
  v_is_older boolean;
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
  select p.id, v_version < p.version into v_pipeline_id, v_is_older from lockstep.pipelines p where p.name = p_name;

  -- Every starting worker defines its pipelines; one that changes nothing must lock nothing.
  if not v_is_older then
    with given as (
      select * from lockstep.given_stages(p_stages)
    ),
    known as (
      select s.name, s.ordinal,
        s.max_attempts, s.max_losses, s.timeout_ms, s.retry_kind,
        s.retry_base_ms, s.retry_cap_ms, s.retry_jitter, s.concurrency, s.group_concurrency, s.rate_jobs,
        s.rate_per_ms, s.group_rate_jobs, s.group_rate_per_ms, s.breaker
      from lockstep.stages s
      where s.pipeline_id = v_pipeline_id and s.ordinal is not null
    )
    select exists ((table given except table known) union all (table known except table given))
      or not exists (
        select from lockstep.pipelines p
        where p.id = v_pipeline_id
          and (p.version, p.max_pending, p.ageing_ms, p.logs_events, p.payload_schema) is not distinct from (
            v_version, (p_options ->> 'maxPending')::integer, (p_options ->> 'ageingMs')::bigint,
            coalesce((p_options ->> 'events')::boolean, false), v_payload_schema
          )
      )
    into v_changed;
  end if;

  if v_changed then
    update lockstep.pipelines p
    set version = v_version,
        max_pending = (p_options ->> 'maxPending')::integer,
        ageing_ms = (p_options ->> 'ageingMs')::bigint,
        logs_events = coalesce((p_options ->> 'events')::boolean, false),
        payload_schema = v_payload_schema
    where p.id = v_pipeline_id and p.version <= v_version;
    v_is_older := not found;    -- somebody has just brought a newer one
  end if;

  if v_changed and not v_is_older then
    update lockstep.stages s set ordinal = null where s.pipeline_id = v_pipeline_id;

    insert into lockstep.stages as s (
      pipeline_id, name, ordinal,
      max_attempts, max_losses, timeout_ms, retry_kind, retry_base_ms, retry_cap_ms,
      retry_jitter, concurrency, group_concurrency, rate_jobs, rate_per_ms, group_rate_jobs, group_rate_per_ms, breaker
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
        breaker = excluded.breaker;

    update lockstep.stages s
    set next_stage_id = (
      select n.id from lockstep.stages n
      where n.pipeline_id = v_pipeline_id and n.ordinal = s.ordinal + 1
    )
    where s.pipeline_id = v_pipeline_id and s.ordinal is not null;

    -- what already runs counts for a limit that is new
    if exists (select from lockstep.stages s where s.pipeline_id = v_pipeline_id and s.is_gated) then
      update lockstep.jobs j
      set counted = true
      from lockstep.stages s
      where s.pipeline_id = v_pipeline_id and s.is_gated
        and j.stage_id = s.id and j.status = 'processing' and not j.counted;
    end if;
  end if;

  return query
    select s.name, s.id
    from lockstep.stages s
    where s.pipeline_id = v_pipeline_id
      and case when v_is_older then s.name in (select g ->> 'name' from jsonb_array_elements(p_stages) g)
        else s.ordinal is not null end
    order by s.ordinal, s.id;
end;
$$;
