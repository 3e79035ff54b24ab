-- What adds jobs by the clock. The times of the ticks are kept here; workers work out the next one from the cron pattern.
create table lockstep.schedules (
  name text primary key,                                           -- what people and code call it; part of the tags of its jobs
  pipeline_id integer not null references lockstep.pipelines (id), -- the pipeline that its jobs are added to
  cron text not null,                                              -- the pattern of its ticks, read by workers
  time_zone text not null,                                         -- the zone that the pattern is in, an IANA name
  payload jsonb not null,                                          -- of each of its jobs
  priority smallint not null,                                      -- of each of its jobs
  owner text,                                                      -- of each of its jobs
  group_key text,                                                  -- of each of its jobs
  tags text[],                                                     -- of each of its jobs, which get two more: the schedule and the tick
  -- what becomes of ticks at which no worker was there: skip, or run_once for one job in place of all of them
  missed text not null,
  -- drawn anew at every change, so that a worker cannot apply what it worked out before the change
  revision uuid not null,
  changed_at timestamptz not null,                                 -- when the definition was last changed
  counts_from timestamptz not null,                                -- ticks before this time are not served, and not missed either
  paused_at timestamptz,                                           -- since when it adds no jobs; null: not paused
  next_at timestamptz,                                             -- the next tick; null: no worker has worked it out yet
  -- when a worker must attend to it: at the next tick, or a minute after a problem; null: it is paused
  look_at timestamptz,
  last_at timestamptz,                                             -- the tick of the last job
  last_job_id uuid,                                                -- the last job that it added
  problem text,                                                    -- why it cannot add jobs, as a sentence; null: no problem
  constraint schedule_name_is_speakable check (name ~ '^[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}$'),
  constraint missed_is_known check (missed in ('skip', 'run_once')),
  constraint schedule_priority_is_1_to_20 check (priority between 1 and 20),
  constraint looked_at_unless_paused check ((look_at is null) = (paused_at is not null))
) with (fillfactor = 50);

-- Every worker asks every few seconds which schedules of its pipelines are due.
create index schedules_to_look_at on lockstep.schedules (pipeline_id, look_at) where look_at is not null;

-- The job of a tick has an id that follows from the schedule's name, the tick and this secret. Without the secret anyone could work out
-- the id and add another job under it first.
create table lockstep.tick_secret (
  is_only boolean primary key default true,       -- always true, so that there is one row at most
  secret uuid not null default gen_random_uuid(), -- drawn once for each database
  constraint there_is_one_tick_secret check (is_only)
);
insert into lockstep.tick_secret default values;
