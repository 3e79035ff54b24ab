-- What the claims of a stage with limits, or with groups that take turns, agree on. A claim there holds its gate's row.

create table lockstep.stage_gates (
  stage_id integer primary key references lockstep.stages (id),
  turn_key text not null default '' collate "C",   -- the group that had its turn last
  -- the claims of the last period, for the rate: how many, and up to when each lot counts, the oldest first
  used_jobs integer[] not null default '{}',
  used_until timestamptz[] not null default '{}'
) with (fillfactor = 50);

create table lockstep.group_rates (
  stage_id integer not null,
  group_key text not null collate "C",
  used_jobs integer[] not null,
  used_until timestamptz[] not null,
  primary key (stage_id, group_key)
) with (fillfactor = 50);

-- Circuit breakers that are open or on trial; a closed one has no row. group_key is '' where the whole stage has one.
create table lockstep.open_breakers (
  stage_id integer not null,
  group_key text not null collate "C",
  opened_at timestamptz not null,
  open_until timestamptz not null,
  probed_at timestamptz,                          -- one job was let through then, to see
  primary key (stage_id, group_key)
);

-- Attempts that ended in stages with a breaker, a row per batch.
create table lockstep.attempt_outcomes (
  stage_id integer not null,
  group_key text not null collate "C",
  at timestamptz not null,
  done integer not null,
  failed integer not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
create index attempt_outcomes_in_time on lockstep.attempt_outcomes (stage_id, group_key, at);
