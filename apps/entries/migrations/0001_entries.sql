-- Run at every start, in one transaction: each statement leaves alone what is there, and two that start wait for each other.
select pg_advisory_xact_lock(hashtext('entries migrations'));

create table if not exists entries (
  id         uuid        primary key,
  title      text        not null,
  status     text        not null default 'CREATED',
  progress   integer     not null default 0,
  result     text,
  -- The job that carries the entry through its stages. What the seed kept here as lockedBy and lockedAt is the job's claim.
  job_id     uuid        not null unique,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint known_status check (status in ('CREATED', 'STAGE_1', 'STAGE_2', 'COMPLETED', 'FAILED')),
  constraint progress_is_a_percentage check (progress between 0 and 100)
);

create index if not exists entries_newest_first on entries (created_at desc, id desc);

-- How far the log of jobs has been read for entries whose jobs ended without a stage that could say so.
create table if not exists entry_follower (
  is_only boolean primary key default true check (is_only),
  cursor  text    not null
);
