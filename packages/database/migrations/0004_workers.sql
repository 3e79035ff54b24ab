-- A row for each started worker. The lease belongs to the worker, not to each of its jobs.
create table lockstep.workers (
  id uuid primary key,                               -- drawn at each start: a worker that was declared lost never comes back under its id
  name text not null,                                -- a label for people; need not be unique
  host text,                                         -- where it runs
  pid integer,                                       -- its process on that host
  version text,                                      -- of its code
  started_at timestamptz not null,                   -- when it registered
  heartbeat_at timestamptz not null,                 -- when it last renewed its lease
  lease interval not null,                           -- how long the lease lasts from each heartbeat
  lease_until timestamptz not null,                  -- after this time a sweep may take its jobs back
  lost_at timestamptz,                               -- when a sweep found that its lease was over; null: not lost
  stage_ids integer[] not null default '{}',         -- the stages it serves
  waiting_stage_ids integer[] not null default '{}', -- the stages it sleeps for: an add there sends it a wake-up
  -- what it last reported with a heartbeat: processors per stage, memory, its settings
  report jsonb,
  -- the epoch in which it registered or last presented its claims; another one means a crash since
  claim_epoch uuid,
  constraint lease_is_positive check (lease > interval '0')
) with (
  fillfactor = 50,
  -- After a vacuum or an analyze, every connection plans its statements on the table again. This table is small and changes all the time,
  -- so a hundred idle workers would each plan again every minute. Its rows are updated in place, so vacuum and analyze can wait.
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 10000,
  autovacuum_analyze_threshold = 100000
);

-- Claims are not flushed to disk at once, so a crash of PostgreSQL may lose those of the last moments. A crash also empties unlogged
-- tables. So if the epoch here is not that of a worker's row, claims of this worker may be lost (decision 0049).
create unlogged table lockstep.claim_epoch (
  is_current boolean primary key default true, -- always true, so that there is one row at most
  id uuid not null default gen_random_uuid(),  -- drawn by the first present_claims after a crash
  -- for three seconds from here, no job is handed out until live workers have presented their claims
  began_at timestamptz not null,
  constraint there_is_one_epoch check (is_current)
);
-- A new database has not crashed.
insert into lockstep.claim_epoch (began_at) values ('-infinity');

-- Tasks that the whole fleet shares: the first worker that comes after the interval does it. There is no leader.
create table lockstep.upkeep (
  task text primary key,       -- named for what is done: sweep, fold, retention and so on
  done_at timestamptz not null -- when a worker last did it; -infinity: never
) with (autovacuum_vacuum_threshold = 10000, autovacuum_analyze_threshold = 100000);   -- as for workers
insert into lockstep.upkeep (task, done_at)
select task, '-infinity'
from unnest(array['sweep', 'fold', 'retention', 'effects', 'recent_keys', 'recorded_actions', 'signals', 'budget_usage', 'strays']) as task;
