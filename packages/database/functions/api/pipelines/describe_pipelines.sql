-- The pipelines by name, each with its stages in order, as define_pipeline was given them, with defaults. Limits that are not set, and the
-- kind of a stage that workers run, are left out.
create or replace function lockstep.describe_pipelines()
returns table (
  name text,
  version integer,
  max_pending integer,
  ageing_ms bigint,
  events boolean,
  payload_schema jsonb,
  stages jsonb,
  branch_of text
)
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  select
    p.name, p.version, p.max_pending, p.ageing_ms, p.logs_events, p.payload_schema,
    jsonb_agg(
      jsonb_build_object(
        'name', s.name,
        'maxAttempts', s.max_attempts,
        'maxLosses', s.max_losses,
        'timeoutMs', s.timeout_ms,
        'retry', jsonb_build_object(
          'kind', s.retry_kind, 'baseMs', s.retry_base_ms, 'capMs', s.retry_cap_ms, 'jitter', s.retry_jitter
        ),
        'pausedAt', s.paused_at
      ) || jsonb_strip_nulls(jsonb_build_object(
        'concurrency', s.concurrency,
        'groupConcurrency', s.group_concurrency,
        'rate', case when s.rate_jobs is not null then jsonb_build_object('jobs', s.rate_jobs, 'perMs', s.rate_per_ms) end,
        'groupRate', case when s.group_rate_jobs is not null then
          jsonb_build_object('jobs', s.group_rate_jobs, 'perMs', s.group_rate_per_ms) end,
        'breaker', s.breaker,
        'branches', s.branches,
        'kind', nullif(s.kind, 'work'),
        'waitMs', s.wait_ms,
        'onTimeout', s.on_timeout,
        'notBy', case when s.not_by_owner then 'owner' end
      )) || case when s.spends is null then '{}' else jsonb_build_object('spends', s.spends) end
        || case when s.signal_schema is null then '{}' else jsonb_build_object('signalSchema', s.signal_schema) end
      order by s.ordinal
    ),
    (select o.name from lockstep.pipelines o where o.id = p.branch_of)
  from lockstep.pipelines p
  join lockstep.stages s on s.pipeline_id = p.id and s.ordinal is not null
  group by p.id
  order by p.name;
$$;
