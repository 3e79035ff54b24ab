-- A pipeline is a named list of stages, and every job moves through one.
create table lockstep.pipelines (
  id integer generated always as identity primary key, -- what other tables refer to, since it is shorter than the name
  name text not null unique,                           -- what code and SQL clients call it
  defined_at timestamptz not null default now(),       -- when somebody first defined it
  version integer not null default 1,                  -- of the definition: an older one does not replace a newer one
  max_pending integer,                                 -- an add that would leave more jobs pending is refused; null: no limit
  -- for each such span that a job waits, it counts as one priority more urgent; null: no ageing
  ageing_ms bigint,
  logs_events boolean not null default false,          -- true: all its jobs write events; false: only those with an owner do
  payload_schema jsonb,                                -- a JSON Schema, by which adds and forms check a payload; null: none
  -- Hash of the definition given last. Every worker defines its pipelines when it starts, nearly always unchanged. If the hash is equal,
  -- define_pipeline locks and writes nothing.
  definition_hash bytea,
  -- payload_schema as a jsonpath predicate, which PostgreSQL runs faster than a walk through the schema (decision 0046)
  payload_predicate jsonpath,
  has_waits boolean not null default false,            -- true: it has a stage that waits for a signal, so that adds look for signal keys
  -- the pipeline that has the parallel stage whose branch it is; null: it is no branch. Lists show a branch with that pipeline
  branch_of integer references lockstep.pipelines (id),
  budgets text[],                                      -- the names of the budgets that its jobs may spend of; null: none
  constraint version_is_positive check (version > 0),
  constraint max_pending_is_positive check (max_pending > 0),
  constraint ageing_is_positive check (ageing_ms > 0),
  constraint pipeline_name_is_speakable check (name ~ '^[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}$')
);

-- The stages of the pipelines, with the options of each.
create table lockstep.stages (
  id integer generated always as identity primary key,             -- what jobs, counters and workers refer to
  pipeline_id integer not null references lockstep.pipelines (id), -- the pipeline it is part of
  name text not null,                                              -- unique within its pipeline; clients write pipeline/stage
  -- 1 for the first stage; null: no longer part of the pipeline, kept for the jobs that are in it
  ordinal integer,
  next_stage_id integer references lockstep.stages (id),           -- where a job goes when this stage is done; null: this is the last stage
  -- true: no worker runs the next stage. Stored here, among the first columns, since every settle reads it with this row
  next_waits boolean not null default false,
  max_attempts integer not null default 3,                         -- a job fails when so many attempts of this stage have failed
  max_losses integer not null default 3,                           -- a job fails when so many of its workers have died in this stage
  -- how long an attempt may take before its worker stops it; null: no limit
  timeout_ms bigint default 300000,
  retry_kind text not null default 'exponential',                  -- how the delay grows from failure to failure
  retry_base_ms bigint not null default 120000,                    -- the delay after the first failure
  retry_cap_ms bigint not null default 3600000,                    -- no delay is longer than this
  -- up to this share of a delay is left out at random, so that jobs that failed together do not come back together
  retry_jitter double precision not null default 0.5,
  paused_at timestamptz,                                           -- since when no job is claimed here; null: not paused
  -- how many jobs may run at once; this and the other limits are for all workers together; null: no limit
  concurrency integer,
  group_concurrency integer,                                       -- how many jobs of one group may run at once
  rate_jobs integer,                                               -- how many jobs may start within rate_per_ms
  rate_per_ms bigint,                                              -- the period of rate_jobs
  group_rate_jobs integer,                                         -- how many jobs of one group may start within group_rate_per_ms
  group_rate_per_ms bigint,                                        -- the period of group_rate_jobs
  -- {"failureRate", "windowMs", "minAttempts", "pauseMs", "per"}; null: none
  breaker jsonb,
  -- of a parallel stage: the names of its branches in order, which are jobs of their own; null: not a parallel stage
  branches text[],
  -- What an attempt will spend, by the names of the budgets; a value of null: the code of the stage estimates it for each job. Null: nothing
  spends jsonb,
  -- true: it has a limit, a breaker or a budget, so that every claim must first lock its gate (stage_gates)
  is_gated boolean not null generated always as (
    num_nonnulls(concurrency, group_concurrency, rate_jobs, group_rate_jobs, breaker, spends) > 0
  ) stored,
  -- what happens there: work (workers run a handler), wait (until a signal comes), sleep (until a time has passed); never changes
  kind text not null default 'work',
  wait_ms bigint,                                                  -- how long a job waits here at most; null: as long as it takes
  -- of a wait: what becomes of a job that has waited so long: fail, continue (without a value), or the name of a later stage
  on_timeout text,
  timeout_stage_id integer references lockstep.stages (id),        -- the stage that on_timeout names; null: it names none
  signal_schema jsonb,                                             -- of a wait: a JSON Schema, by which signals are checked; null: none
  signal_predicate jsonpath,                                       -- signal_schema as a jsonpath predicate, like payload_predicate
  not_by_owner boolean not null default false,                     -- of a wait: true: the owner of a job cannot signal it
  constraint one_stage_per_name unique (pipeline_id, name),
  constraint stage_name_is_speakable check (name ~ '^[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}$'),
  constraint max_attempts_is_1_to_100 check (max_attempts between 1 and 100),
  constraint max_losses_is_1_to_100 check (max_losses between 1 and 100),
  constraint timeout_is_positive check (timeout_ms > 0),
  constraint retry_kind_is_known check (retry_kind in ('exponential', 'linear', 'constant')),
  constraint retry_delays_are_positive check (retry_base_ms >= 0 and retry_cap_ms >= 0),
  constraint retry_jitter_is_a_share check (retry_jitter between 0 and 1),
  constraint stage_kind_is_known check (kind in ('work', 'wait', 'sleep')),
  constraint wait_is_positive check (wait_ms > 0),
  constraint sleep_ends check (kind <> 'sleep' or wait_ms is not null),
  constraint wait_knows_its_timeout check ((kind = 'wait') = (on_timeout is not null)),
  constraint concurrency_is_positive check (concurrency > 0 and group_concurrency > 0),
  constraint rates_are_positive check (rate_jobs > 0 and rate_per_ms > 0 and group_rate_jobs > 0 and group_rate_per_ms > 0),
  constraint rates_are_whole check (
    num_nonnulls(rate_jobs, rate_per_ms) <> 1 and num_nonnulls(group_rate_jobs, group_rate_per_ms) <> 1
  )
);

-- Every add looks up the first stage of its pipeline.
create unique index one_stage_per_ordinal on lockstep.stages (pipeline_id, ordinal);
