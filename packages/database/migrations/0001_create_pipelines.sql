-- What a job moves through: pipelines and their ordered stages.

create table lockstep.pipelines (
  id integer generated always as identity primary key,
  name text not null unique,
  defined_at timestamptz not null default now(),
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
  constraint one_stage_per_name unique (pipeline_id, name),
  constraint stage_name_is_speakable check (name ~ '^[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}$'),
  constraint max_attempts_is_1_to_100 check (max_attempts between 1 and 100),
  constraint max_losses_is_1_to_100 check (max_losses between 1 and 100),
  constraint timeout_is_positive check (timeout_ms > 0),
  constraint retry_kind_is_known check (retry_kind in ('exponential', 'linear', 'constant')),
  constraint retry_delays_are_positive check (retry_base_ms >= 0 and retry_cap_ms >= 0),
  constraint retry_jitter_is_a_share check (retry_jitter between 0 and 1)
);

-- The first stage of a pipeline is looked up at every add.
create unique index one_stage_per_ordinal on lockstep.stages (pipeline_id, ordinal);
