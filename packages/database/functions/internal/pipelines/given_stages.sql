-- The stages that define_pipeline was given, with the defaults filled in.
create or replace function lockstep.given_stages(p_stages jsonb)
returns table (
  name text,
  ordinal integer,
  max_attempts integer,
  max_losses integer,
  timeout_ms bigint,
  retry_kind text,
  retry_base_ms bigint,
  retry_cap_ms bigint,
  retry_jitter double precision,
  concurrency integer,
  group_concurrency integer,
  rate_jobs integer,
  rate_per_ms bigint,
  group_rate_jobs integer,
  group_rate_per_ms bigint,
  breaker jsonb,
  kind text,
  wait_ms bigint,
  on_timeout text,
  signal_schema jsonb,
  signal_predicate jsonpath,
  not_by_owner boolean,
  branches text[],
  spends jsonb
)
language sql
immutable
security definer
set search_path = pg_catalog, pg_temp
as $$
  select
    g.stage ->> 'name',
    g.ordinal::integer,
    coalesce((g.stage ->> 'maxAttempts')::integer, 3),
    coalesce((g.stage ->> 'maxLosses')::integer, 3),
    case when g.stage ? 'timeoutMs' then (g.stage ->> 'timeoutMs')::bigint else 300000 end,
    coalesce(g.stage #>> '{retry,kind}', 'exponential'),
    coalesce((g.stage #>> '{retry,baseMs}')::bigint, 120000),
    coalesce((g.stage #>> '{retry,capMs}')::bigint, 3600000),
    coalesce((g.stage #>> '{retry,jitter}')::double precision, 0.5),
    (g.stage ->> 'concurrency')::integer,
    (g.stage ->> 'groupConcurrency')::integer,
    (g.stage #>> '{rate,jobs}')::integer,
    (g.stage #>> '{rate,perMs}')::bigint,
    (g.stage #>> '{groupRate,jobs}')::integer,
    (g.stage #>> '{groupRate,perMs}')::bigint,
    case when jsonb_typeof(g.stage -> 'breaker') = 'object' then
      '{"failureRate": 0.5, "windowMs": 60000, "minAttempts": 10, "pauseMs": 30000, "per": "stage"}' || (g.stage -> 'breaker')
    end,
    coalesce(g.stage ->> 'kind', 'work'),
    (g.stage ->> 'waitMs')::bigint,
    case when g.stage ->> 'kind' = 'wait' then coalesce(g.stage ->> 'onTimeout', 'fail') end,
    nullif(g.stage -> 'signalSchema', 'null'),
    ('strict ' || lockstep.schema_predicate(nullif(g.stage -> 'signalSchema', 'null')))::jsonpath,
    coalesce(g.stage ->> 'notBy' = 'owner', false),
    case when jsonb_typeof(g.stage -> 'branches') = 'array' then array(select jsonb_array_elements_text(g.stage -> 'branches')) end,
    nullif(nullif(g.stage -> 'spends', 'null'), '{}')
  from jsonb_array_elements(p_stages) with ordinality as g (stage, ordinal);
$$;
