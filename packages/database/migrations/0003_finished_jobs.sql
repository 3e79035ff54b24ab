-- Finished jobs, partitioned by status, since completed jobs are kept for another time than the others, and then by day, so that
-- retention drops whole tables.
create table lockstep.finished_jobs (
  id uuid not null,                    -- as in jobs; not unique here, since every job that ends would pay for the index
  added_at timestamptz not null,       -- as in jobs
  pipeline_id integer not null,        -- comes first in the index by which lists and single jobs are found
  stage_id integer not null,           -- the stage it ended in
  finished_at timestamptz not null,    -- decides in which day's table the row is, and so when retention drops it
  ready_at timestamptz not null,       -- since when it could have been claimed, the last time
  scheduled_for timestamptz,           -- the time it waited for last; null: none
  claimed_at timestamptz,              -- when the attempt that ended the job began; null: it ended while it waited
  cancel_requested_at timestamptz,     -- when somebody cancelled it while it ran; null: nobody did
  claim_token uuid,                    -- of the attempt that ended the job: a settle that is sent twice is recognised by it
  worker_id uuid,                      -- the worker that held it at its end; null: it ended while it waited
  status lockstep.job_status not null, -- completed, failed or cancelled; decides how long it is kept
  attempt smallint not null,           -- tries of its last stage that counted
  losses smallint not null,            -- tries of its last stage that ended because the worker died
  priority smallint not null,          -- kept for a retry by a person, which uses it again
  progress smallint,                   -- in percent, as last reported
  owner text,                          -- the user or tenant it belongs to
  group_key text,                      -- as in jobs
  dedup_key text,                      -- as in jobs; a retry is refused while a live job has the same key
  tags text[],                         -- words to find it by
  progress_note text,                  -- as last reported, for people
  progress_data jsonb,                 -- as last reported, for programs
  batch_id uuid,                       -- the batch that counted it; batch_results reads its jobs by this
  trace text,                          -- W3C traceparent of the add
  history lockstep.ended_attempt[],    -- its attempts before the one that ended it; a retry adds that one
  log jsonb,                           -- what the attempt that ended the job has logged
  error jsonb,                         -- of the attempt that ended the job, if it ended with an error; a cancelled job may have one too
  last_outcome text,                   -- how its last attempt ended, if the status does not say it: timeout, lost or forced
  outputs jsonb,                       -- what stages that are done returned, by the stage's name, without the result
  result jsonb,                        -- what the last stage returned
  payload jsonb not null,              -- the input, as given with the add
  fingerprint text                     -- of the error: the same for all failures of one kind (list_errors); null: it did not fail
) partition by list (status);

create table lockstep.completed_jobs partition of lockstep.finished_jobs
  for values in ('completed') partition by range (finished_at);
create table lockstep.unsuccessful_jobs partition of lockstep.finished_jobs
  for values in ('failed', 'cancelled') partition by range (finished_at);

-- For days that have no table yet: a job must be able to finish without one.
create table lockstep.completed_jobs_default partition of lockstep.completed_jobs default;
create table lockstep.unsuccessful_jobs_default partition of lockstep.unsuccessful_jobs default;

-- One index serves both lists and lookups by id (with the ids of all pipelines). Every further index would cost each job that ends.
create index on lockstep.finished_jobs (pipeline_id, id);
create index on lockstep.finished_jobs (owner, id) where owner is not null;
create index on lockstep.finished_jobs (batch_id, id) where batch_id is not null;

-- Only jobs that failed or were cancelled pay for these. They are few, and the ones that people look for: by status, in the order
-- of ids or of ends, and by kind of error.
create index on lockstep.unsuccessful_jobs (pipeline_id, status, id);
create index on lockstep.unsuccessful_jobs (pipeline_id, status, finished_at, id);
create index on lockstep.unsuccessful_jobs (fingerprint, id) where fingerprint is not null;

-- There is no primary key, since every job would pay for it. If a publication covers the tables, all columns identify a row.
alter table lockstep.finished_jobs replica identity full;
alter table lockstep.completed_jobs replica identity full;
alter table lockstep.unsuccessful_jobs replica identity full;
alter table lockstep.completed_jobs_default replica identity full;
alter table lockstep.unsuccessful_jobs_default replica identity full;

-- Day tables that are past their time and could not be dropped, because a session is reading them or has an open transaction that
-- ended a job. doctor shows them until they are gone.
create table lockstep.held_tables (
  name text primary key,         -- the table, such as events_20260131
  since timestamptz not null,    -- when it could not be dropped for the first time
  tried_at timestamptz not null, -- when it was last tried
  tries integer not null         -- how often it was tried
);

-- A row of search_jobs, and with fewer columns of list_jobs.
create type lockstep.listed_job as (
  id uuid,
  pipeline text,
  stage text,
  status lockstep.job_status,
  priority integer,
  attempt integer,
  losses integer,
  progress integer,
  progress_note text,
  owner text,
  group_key text,
  dedup_key text,
  batch_id uuid,
  tags text[],
  added_at timestamptz,
  scheduled_for timestamptz,
  claimed_at timestamptz,
  finished_at timestamptz,
  cancel_requested_at timestamptz,
  worker_id uuid,
  error jsonb,
  fingerprint text,
  version text,
  payload_preview text,
  place jsonb
);

-- Which jobs run a finished job again from one of its stages. Kept as long as recorded actions are.
create table lockstep.forks (
  job_id uuid primary key,        -- the new job
  forked_from uuid not null,      -- the finished job whose payload and earlier outputs it has
  from_stage_id integer not null, -- the stage that it began with
  forked_at timestamptz not null  -- when somebody forked it
);
create index forks_of_job on lockstep.forks (forked_from);
create index forks_in_time on lockstep.forks (forked_at);
