-- Live jobs in one small table; a finished job leaves it in the statement that finishes it.

create type lockstep.job_status as enum
  ('scheduled', 'pending', 'processing', 'retrying', 'completed', 'failed', 'cancelled');

-- An attempt that ended, as small as it can be: a job's row carries all of them from stage to stage.
-- What may grow with time belongs into detail, since a type that a table uses cannot get another field.
create type lockstep.ended_attempt as (
  stage_id integer,
  attempt smallint,       -- null: not an attempt, the mark of a retry by hand
  outcome text,           -- done, failed, timeout, lost, released, snoozed, cancelled, forced, retried
  claim_token uuid,
  worker_id uuid,
  claimed_at timestamptz,
  ended_at timestamptz,
  detail jsonb            -- "error" and "log", where there are any
);

-- Order of becoming pending. Returning jobs draw a new, larger number.
create sequence lockstep.job_positions as bigint;

create table lockstep.jobs (
  id uuid primary key with (fillfactor = 50),
  added_at timestamptz not null,
  pipeline_id integer not null,
  stage_id integer not null,
  -- what a move changes stands together: an update on the same page then logs only this part
  position bigint not null,
  ready_at timestamptz not null,          -- since when it could be claimed, or when it will be
  scheduled_for timestamptz,
  claimed_at timestamptz,
  cancel_requested_at timestamptz,
  claim_token uuid,
  worker_id uuid,
  status lockstep.job_status not null,
  attempt smallint not null default 0,    -- tries of this stage that count: failures, and the one under way
  losses smallint not null default 0,     -- tries of this stage that ended with their worker
  priority smallint not null default 10,
  progress smallint,
  suspect boolean not null default false, -- one more loss ends it: it runs alone, so that no bystander is blamed
  noted boolean not null default false,   -- its moves are of interest to more than the counters: see note_moves
  counted boolean not null default false, -- it runs in a stage with limits, and is counted there
  owner text,
  group_key text,                         -- jobs of one key share turns and limits
  dedup_key text,
  tags text[],
  progress_note text,
  progress_data jsonb,
  start_by timestamptz,                   -- expires when it has not started by then
  batch_id uuid,                          -- the batch it is part of
  waits_for uuid,                         -- the batch whose end it waits for
  trace text,                             -- W3C traceparent of the add
  history lockstep.ended_attempt[],       -- oldest first
  outputs jsonb,                          -- by stage name
  payload jsonb not null,
  -- Checked at every move, and so written for speed: comparisons without function calls, the common case first.
  constraint live_status check (status <= 'retrying'),
  constraint held_only_while_processing check (
    case when status = 'processing' then claim_token is not null and worker_id is not null and claimed_at is not null
      else claim_token is null and worker_id is null and claimed_at is null end
  ),
  constraint waits_for_a_time check (status = 'pending' or status = 'processing' or scheduled_for is not null),
  constraint priority_is_1_to_20 check (priority between 1 and 20)
  -- What an add has checked and no move can change is not checked again at every move.
) with (
  fillfactor = 50,                        -- room for the claim's version of every row on its own page, and in the index
  autovacuum_vacuum_scale_factor = 0.05,
  autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_cost_delay = 0,
  autovacuum_analyze_scale_factor = 0.2
);

create index claimable_in_order on lockstep.jobs (stage_id, priority, position)
  where status = 'pending' and not suspect and group_key is null;
create index claimable_in_turns on lockstep.jobs (stage_id, priority, group_key collate "C", position)
  where status = 'pending' and not suspect and group_key is not null;
create index counted_in_stage on lockstep.jobs (stage_id, group_key collate "C")
  where counted;
create index waiting_for_a_time on lockstep.jobs (stage_id, scheduled_for)
  where status in ('scheduled', 'retrying');
create index held_by_worker on lockstep.jobs (worker_id)
  where status = 'processing';
create index suspects_in_order on lockstep.jobs (stage_id, position)
  where suspect;
create index cancel_requested on lockstep.jobs (cancel_requested_at)
  where cancel_requested_at is not null;
create unique index one_live_job_per_dedup_key
  on lockstep.jobs (pipeline_id, coalesce(owner, ''), dedup_key)   -- without an owner they are twins too
  where dedup_key is not null;
create index live_jobs_of_owner on lockstep.jobs (owner, id)
  where owner is not null;
create index live_jobs_of_batch on lockstep.jobs (batch_id)
  where batch_id is not null;
create index waiting_for_a_batch on lockstep.jobs (waits_for)
  where waits_for is not null;
create index expiring on lockstep.jobs (start_by)
  where start_by is not null and status <> 'processing';

-- Finished jobs: by how long they are kept, then by day, so that retention drops whole tables.
create table lockstep.finished_jobs (
  id uuid not null,
  added_at timestamptz not null,
  pipeline_id integer not null,
  stage_id integer not null,              -- where it ended
  finished_at timestamptz not null,
  ready_at timestamptz not null,
  scheduled_for timestamptz,
  claimed_at timestamptz,
  cancel_requested_at timestamptz,
  claim_token uuid,                       -- of the last attempt: a settle sent twice is recognised by it
  worker_id uuid,
  status lockstep.job_status not null,
  attempt smallint not null,
  losses smallint not null,
  priority smallint not null,
  progress smallint,
  owner text,
  group_key text,
  dedup_key text,
  tags text[],
  progress_note text,
  progress_data jsonb,
  batch_id uuid,
  trace text,
  history lockstep.ended_attempt[],       -- before the last attempt
  log jsonb,                              -- of the last attempt
  error jsonb,                            -- of the last attempt
  last_outcome text,                      -- of the last attempt, where the status does not say it: timeout, lost, forced
  outputs jsonb,                          -- of the stages before the last one
  result jsonb,
  payload jsonb not null
) partition by list (status);

create table lockstep.completed_jobs partition of lockstep.finished_jobs
  for values in ('completed') partition by range (finished_at);
create table lockstep.unsuccessful_jobs partition of lockstep.finished_jobs
  for values in ('failed', 'cancelled') partition by range (finished_at);

-- Where a day has no table yet; finishing a job must never fail for want of one.
create table lockstep.completed_jobs_default partition of lockstep.completed_jobs default;
create table lockstep.unsuccessful_jobs_default partition of lockstep.unsuccessful_jobs default;

-- One index for lists and for looking up an id, by way of all pipelines: each more costs every job that ends.
create index on lockstep.finished_jobs (pipeline_id, id);
create index on lockstep.finished_jobs (owner, id) where owner is not null;
create index on lockstep.finished_jobs (batch_id, id) where batch_id is not null;

-- A move of a job that is of interest to more than the counters, as note_moves takes it.
create type lockstep.job_move as (
  job_id uuid,
  pipeline_id integer,
  stage_id integer,
  next_stage_id integer,    -- where it went on to, when its stage was done
  moved_from text,          -- a status, or '' for what was not in this stage before
  moved_to text,            -- a status, or '' for what went on to the next stage
  attempt smallint,
  owner text,
  group_key text,
  batch_id uuid,
  counted boolean,          -- it ran in a stage with limits
  value jsonb               -- the output, result or error
);
