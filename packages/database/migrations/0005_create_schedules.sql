-- Jobs that are added by the clock. SQL holds the ticks; working out the next one from a cron pattern is a worker's part.

create table lockstep.schedules (
  name text primary key,
  pipeline_id integer not null references lockstep.pipelines (id),
  cron text not null,
  time_zone text not null,
  payload jsonb not null,
  priority smallint not null,
  owner text,
  group_key text,
  tags text[],
  missed text not null,
  revision uuid not null,              -- another one after every change: what a worker worked out before it is void
  changed_at timestamptz not null,
  counts_from timestamptz not null,    -- ticks after this moment count
  paused_at timestamptz,
  next_at timestamptz,                 -- null: no worker has worked it out yet
  look_at timestamptz,                 -- when a worker has to do something about it; null while it is paused
  last_at timestamptz,                 -- the tick of the last job
  last_job_id uuid,
  problem text,                        -- why no job can be added, in a sentence
  constraint schedule_name_is_speakable check (name ~ '^[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}$'),
  constraint missed_is_known check (missed in ('skip', 'run_once')),
  constraint schedule_priority_is_1_to_20 check (priority between 1 and 20),
  constraint looked_at_unless_paused check ((look_at is null) = (paused_at is not null))
) with (fillfactor = 50);

-- Every worker asks every few seconds what its pipelines have coming.
create index schedules_to_look_at on lockstep.schedules (pipeline_id, look_at) where look_at is not null;
