-- One row per running process. The lease belongs to it, not to each of its jobs.

create table lockstep.workers (
  id uuid primary key,
  name text not null,
  host text,
  pid integer,
  version text,
  started_at timestamptz not null,
  heartbeat_at timestamptz not null,
  lease interval not null,
  lease_until timestamptz not null,
  lost_at timestamptz,
  stage_ids integer[] not null default '{}',
  waiting_stage_ids integer[] not null default '{}',   -- stages it sleeps for: an add there sends a wake-up
  report jsonb,                                        -- processors per stage, memory, as it says of itself
  constraint lease_is_positive check (lease > interval '0')
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200);

-- Upkeep that the whole fleet shares: whoever comes first after the interval does it. No leader.
create table lockstep.upkeep (
  task text primary key,
  done_at timestamptz not null
);
insert into lockstep.upkeep (task, done_at) values
  ('sweep', '-infinity'), ('fold', '-infinity'), ('retention', '-infinity');
