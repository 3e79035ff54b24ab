-- What a job moves through: pipelines and their ordered stages.

create table lockstep.pipelines (
  id integer generated always as identity primary key,
  name text not null unique,
  defined_at timestamptz not null default now(),
  version integer not null default 1,                      -- of the definition: an older one does not replace it
  max_pending integer,                                     -- null: no limit
  ageing_ms bigint,                                        -- so long a wait counts as one priority; null: no ageing
  logs_events boolean not null default false,              -- of all its jobs; else of those with an owner
  constraint version_is_positive check (version > 0),
  constraint max_pending_is_positive check (max_pending > 0),
  constraint ageing_is_positive check (ageing_ms > 0),
  constraint pipeline_name_is_speakable check (name ~ '^[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}$')
);

create table lockstep.stages (
  id integer generated always as identity primary key,
  pipeline_id integer not null references lockstep.pipelines (id),
  name text not null,
  ordinal integer,                 -- place in the pipeline from 1; null: no longer part of it, kept for its jobs
  next_stage_id integer references lockstep.stages (id),   -- null: the last stage
  max_attempts integer not null default 3,
  max_losses integer not null default 3,
  timeout_ms bigint default 300000,                        -- null: no limit
  retry_kind text not null default 'exponential',
  retry_base_ms bigint not null default 120000,
  retry_cap_ms bigint not null default 3600000,
  retry_jitter double precision not null default 0.5,
  paused_at timestamptz,
  -- limits over the whole fleet; null: none
  concurrency integer,
  group_concurrency integer,
  rate_jobs integer,
  rate_per_ms bigint,
  group_rate_jobs integer,
  group_rate_per_ms bigint,
  breaker jsonb,                                           -- {"failureRate", "windowMs", "minAttempts", "pauseMs", "per"}
  -- whether a claim has to pass its gate
  is_gated boolean not null generated always as (
    num_nonnulls(concurrency, group_concurrency, rate_jobs, group_rate_jobs, breaker) > 0
  ) stored,
  constraint one_stage_per_name unique (pipeline_id, name),
  constraint stage_name_is_speakable check (name ~ '^[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}$'),
  constraint max_attempts_is_1_to_100 check (max_attempts between 1 and 100),
  constraint max_losses_is_1_to_100 check (max_losses between 1 and 100),
  constraint timeout_is_positive check (timeout_ms > 0),
  constraint retry_kind_is_known check (retry_kind in ('exponential', 'linear', 'constant')),
  constraint retry_delays_are_positive check (retry_base_ms >= 0 and retry_cap_ms >= 0),
  constraint retry_jitter_is_a_share check (retry_jitter between 0 and 1),
  constraint concurrency_is_positive check (concurrency > 0 and group_concurrency > 0),
  constraint rates_are_positive check (rate_jobs > 0 and rate_per_ms > 0 and group_rate_jobs > 0 and group_rate_per_ms > 0),
  constraint rates_are_whole check (
    num_nonnulls(rate_jobs, rate_per_ms) <> 1 and num_nonnulls(group_rate_jobs, group_rate_per_ms) <> 1
  )
);

-- The first stage of a pipeline is looked up at every add.
create unique index one_stage_per_ordinal on lockstep.stages (pipeline_id, ordinal);
