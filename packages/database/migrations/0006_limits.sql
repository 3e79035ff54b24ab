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

-- A budget: how much all jobs of an owner, a group or a pipeline, or all jobs together, may spend in a period. Every claim in a stage that
-- spends locks the rows of its budgets, after the gates, so that no two claims give away the same room. Settles never lock them.
create table lockstep.budgets (
  id integer generated always as identity primary key, -- the order in which they are locked
  name text not null unique,                           -- what code and people call it
  per text not null,                                   -- who has a scope, with a limit of its own: each owner, group or pipeline; or total
  unit text,                                           -- what is counted, for people, such as tokens; null: nobody said
  defined_limit numeric not null,                      -- how much each scope may spend in a period, as the code has it
  set_limit numeric,                                   -- the limit that somebody has set since; null: as the code has it
  -- the length of a period; periods are counted from 1970 in UTC. Null: one that never ends
  every_ms bigint,
  constraint budget_name_is_speakable check (name ~ '^[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}$'),
  constraint budget_per_is_known check (per in ('owner', 'group', 'pipeline', 'total')),
  constraint budget_limits_are_amounts check (defined_limit >= 0 and set_limit >= 0),
  constraint budget_period_is_positive check (every_ms > 0)
) with (fillfactor = 50);

-- Limits that somebody has set for single scopes.
create table lockstep.budget_limits (
  budget_id integer not null,      -- the budget
  scope text not null collate "C", -- the owner, group or pipeline whose limit it is; '' for the jobs that have none
  set_limit numeric not null,      -- its limit, whatever that of the budget is
  primary key (budget_id, scope),
  constraint scope_limit_is_an_amount check (set_limit >= 0)
);

-- What jobs that run may still spend, and have spent. It is deleted when the attempt ends, and what was spent becomes an entry.
create table lockstep.budget_reservations (
  job_id uuid not null,                      -- the job; whoever writes here has locked it
  budget_id integer not null,                -- what it spends of
  scope text not null collate "C",           -- as in budget_limits
  period_began timestamptz not null,         -- of the period in which the job was claimed, to which all that it spends belongs
  amount numeric not null,                   -- the estimate, which was free when the job was claimed
  spent numeric not null default 0,          -- what the attempt has spent so far; more than the amount if the estimate was too low
  reported numeric not null default 0,       -- the part of spent that came with spend_budgets, so that a call sent again is not counted twice
  is_granted boolean not null default false, -- true: the job has waited for it and is pending; false: the job runs
  primary key (job_id, budget_id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
create index reservations_of_scope on lockstep.budget_reservations (budget_id, scope, period_began);
-- Nearly always empty: the sweep looks here for grants whose job has gone elsewhere.
create index granted_reservations on lockstep.budget_reservations (job_id) where is_granted;

-- What attempts that have ended have spent: a row for each call and scope, also if it is nothing, since there may be room now. The next
-- claim adds them to budget_usage: if settles did that, they would wait for each other, and for claims.
create table lockstep.budget_entries (
  budget_id integer not null,        -- the budget
  scope text not null collate "C",   -- as in budget_limits
  period_began timestamptz not null, -- the period that it counts for
  spent numeric not null,            -- how much
  attempts integer not null          -- by how many attempts
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
-- There is no primary key, since every insert would pay for it. If a publication covers the table, all columns identify a row.
alter table lockstep.budget_entries replica identity full;
create index entries_of_scope on lockstep.budget_entries (budget_id, scope, period_began);

-- What each scope has spent in each period, without the entries that no claim has added yet. A row is made when the first job of a
-- period is claimed. Kept for 90 days.
create table lockstep.budget_usage (
  budget_id integer not null,          -- the budget
  scope text not null collate "C",     -- as in budget_limits
  period_began timestamptz not null,   -- when the period began; 1970 if it never ends
  spent numeric not null default 0,    -- how much
  attempts bigint not null default 0,  -- by how many attempts that have ended
  primary key (budget_id, scope, period_began)
) with (fillfactor = 50);
-- Lists and charts go from the newest period to the oldest.
create index usage_of_period on lockstep.budget_usage (budget_id, period_began desc, scope);

-- The order in which jobs began to wait for budgets.
create sequence lockstep.budget_waits_order as bigint;

-- Jobs that wait until a budget has room. Each is scheduled for never(), so that no claim looks at it. A row whose job does not wait any
-- more (somebody has cancelled it) means nothing, and is deleted when it is met.
create table lockstep.budget_waits (
  job_id uuid primary key,               -- the job
  budget_id integer not null,            -- the budget that had no room; there may be others
  scope text not null collate "C",       -- as in budget_limits
  priority smallint not null,            -- the job's: within a scope the most urgent job is next
  number bigint not null default nextval('lockstep.budget_waits_order'), -- among those of one priority, the first that came is next
  -- its estimate is more than the whole limit, so that it would wait for ever: it does not hold up the others
  is_too_large boolean not null default false,
  amounts jsonb,                         -- what the code of its stage has estimated, by the budgets' names; null: it was not asked yet
  scheduled_for timestamptz,             -- what the job had there before
  since timestamptz not null             -- when it began to wait
);
create index waits_of_scope on lockstep.budget_waits (budget_id, scope, is_too_large, priority, number);

-- Scopes with jobs that wait.
create table lockstep.budget_scopes (
  budget_id integer not null,      -- the budget
  scope text not null collate "C", -- as in budget_limits
  look_at timestamptz not null,    -- when there may be room: at the end of the period; earlier if something has changed
  primary key (budget_id, scope)
) with (fillfactor = 50);
create index scopes_to_look_at on lockstep.budget_scopes (budget_id, look_at);
