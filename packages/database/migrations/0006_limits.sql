-- A gate is a row for each stage that has limits, ageing, or groups that take turns. Every claim in such a stage locks the row first, so
-- that claims come one after the other.
create table lockstep.stage_gates (
  stage_id integer primary key references lockstep.stages (id), -- a stage has one gate
  -- the group that had the last turn: the next claim begins with the group after it; '': the jobs without a group
  turn_key text not null default '' collate "C",
  -- Which starts count for the rate of the stage. Those of a hundredth of the period are one slice: this is how many jobs each slice has.
  used_jobs integer[] not null default '{}',
  -- until when each slice of used_jobs counts, in the same order, the oldest first
  used_until timestamptz[] not null default '{}',
  -- the time of the last claim that used a rate, of the stage or of a group
  used_at timestamptz,
  -- For each priority, the group at which the last claim stopped, if it did not look at all groups: the next claim goes on there. Null: it
  -- looked at all.
  left_off text[] not null default array_fill(null::text, array[20])
) with (fillfactor = 50);

-- The rate of each group that has started jobs in a stage with a groupRate.
create table lockstep.group_rates (
  stage_id integer not null,           -- the stage that has the groupRate
  group_key text not null collate "C", -- the group whose starts these are
  used_jobs integer[] not null,        -- as in stage_gates, for this group
  used_until timestamptz[] not null,   -- as in stage_gates; retention deletes the row when all slices are over
  primary key (stage_id, group_key)
) with (fillfactor = 50);

-- Circuit breakers that are open, or that have let one job through as a probe. A closed one has no row.
create table lockstep.open_breakers (
  stage_id integer not null,       -- the stage that has the breaker
  -- the group whose breaker it is; '' for the jobs without a group, and for the one breaker of a whole stage
  group_key text not null collate "C",
  opened_at timestamptz not null,  -- when it opened first, before any probe failed
  open_until timestamptz not null, -- until then no job is let through; afterwards one, as a probe
  probed_at timestamptz,           -- when the last probe was let through; null: none yet since it opened
  primary key (stage_id, group_key)
);

-- How attempts ended in stages with a breaker: a row for each call and group.
create table lockstep.attempt_outcomes (
  stage_id integer not null,           -- the stage that has the breaker
  group_key text not null collate "C", -- as in open_breakers
  at timestamptz not null,             -- when the attempts ended; a breaker counts those of its windowMs
  done integer not null,               -- how many ended well
  failed integer not null              -- how many failed
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
-- There is no primary key, since every insert would pay for it. If a publication covers the table, all columns identify a row.
alter table lockstep.attempt_outcomes replica identity full;
create index attempt_outcomes_in_time on lockstep.attempt_outcomes (stage_id, group_key, at);
