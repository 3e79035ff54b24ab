-- The stages of a pipeline as define_pipeline is given them, with what they leave out filled in.
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
  retry_jitter double precision
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
    coalesce((g.stage #>> '{retry,jitter}')::double precision, 0.5)
  from jsonb_array_elements(p_stages) with ordinality as g (stage, ordinal);
$$;
