-- Live jobs are in one small table. The statement that finishes a job moves it to another table.

create type lockstep.job_status as enum
  ('scheduled', 'pending', 'processing', 'retrying', 'completed', 'failed', 'cancelled');

-- An ended attempt, kept as small as possible: the row of a job has up to a hundred of them.
-- New facts about an attempt go into detail: a type that a table uses cannot get another field.
create type lockstep.ended_attempt as (
  stage_id integer,
  attempt smallint,       -- null: not an attempt, but the mark of a retry by a person, or of a wait that ended
  -- done, skipped, branched, failed, timeout, lost, released, snoozed, cancelled, forced, retried, signalled, timed_out, slept
  outcome text,
  claim_token uuid,
  worker_id uuid,
  claimed_at timestamptz,
  ended_at timestamptz,
  detail jsonb            -- "error" and "log", if there are any; of a wait "since" and "by"
);

-- The order in which jobs become pending. A job that comes back draws a new, larger number.
create sequence lockstep.job_positions as bigint;

-- A live job: its stage and status, its claim, its counters, its ended attempts, and its data.
create table lockstep.jobs (
  id uuid primary key with (fillfactor = 50), -- given with the add, or drawn by it as UUID version 7, so that ids are in the order of time
  added_at timestamptz not null,          -- tells this job from an earlier one that had the same id
  pipeline_id integer not null,           -- not a foreign key, like the other ids here: the check would cost every job
  stage_id integer not null,              -- the stage that it is at
  -- The columns that a move changes come next, side by side: of an update on the same page, PostgreSQL logs only the part that differs.
  position bigint,                        -- its number in the line of its stage, drawn when it becomes pending; null: it waits for a time, a batch or a signal
  ready_at timestamptz not null,          -- since when it could be claimed, or when it will be; its wait is measured from here
  scheduled_for timestamptz,              -- it does not start before; null: no time is set; never() if only a signal ends its wait
  claimed_at timestamptz,                 -- when its worker claimed it; its run is measured from here
  cancel_requested_at timestamptz,        -- when somebody cancelled it while it ran; its worker is asked to stop
  claim_token uuid,                       -- random, drawn with the claim; only a caller that has it may write to the job
  worker_id uuid,                         -- the worker that holds it
  -- The same worker, from when the job is listed as held: until then it is still in its line. Indexes use it and the position, which
  -- most claims leave as they are: such a claim is a heap-only update, and takes a fifth less of the server's time (decision 0035).
  held_by uuid,
  status lockstep.job_status not null,    -- which moves it can make next (docs/lifecycle.md)
  attempt smallint not null default 0,    -- tries of this stage that count: those that failed, and the one under way
  losses smallint not null default 0,     -- tries of this stage that ended because the worker died
  priority smallint not null default 10,  -- 1 is the most urgent, 20 the least
  progress smallint,                      -- in percent, as its handler reports it
  suspect boolean not null default false, -- one more loss would fail it; it runs alone, so that no other job is blamed
  noted boolean not null default false,   -- its moves write events or are counted by a batch (note_moves)
  counted boolean not null default false, -- it runs in a stage with limits and takes one of their slots, or has reserved or spent of a budget
  owner text,                             -- the user or tenant it belongs to, who may read its events
  group_key text,                         -- jobs with the same key share turns and group limits
  dedup_key text,                         -- unique among the live jobs of one pipeline and owner
  tags text[],                            -- words to find it by
  progress_note text,                     -- the handler's sentence about its progress
  progress_data jsonb,                    -- the handler's data about its progress, for programs
  start_by timestamptz,                   -- it fails if it has not started by then; null: no such time, or an attempt has ended
  batch_id uuid,                          -- the batch that counts it
  waits_for uuid,                         -- the batch that it follows, or of its children; stays set, for children_of
  trace text,                             -- W3C traceparent of the add: what the handler does belongs to the same trace
  history lockstep.ended_attempt[],       -- its ended attempts, the oldest first, at most a hundred
  outputs jsonb,                          -- what each stage that is done returned, by the stage's name
  payload jsonb not null,                 -- the input, as given with the add
  log jsonb,                              -- what the attempt under way has logged so far; no index may use it (decision 0035)
  -- PostgreSQL parses the checks of a table again for every statement that writes to it, so they are few and short: which jobs are
  -- live and which are held. All else (a time to wait for, a valid priority, a position and a holder that fit the status) is checked by verify
  -- (V21); no function of ours breaks it.
  constraint live_status check (status <= 'retrying'),
  constraint held_only_while_processing check (
    num_nonnulls(claim_token, worker_id, claimed_at) = case when status = 'processing' then 3 else 0 end
  )
) with (
  -- A claim writes a new version of the row, some forty bytes longer, and should find room for it on the same page. With half of each
  -- page left free, one claim in nine found no room: it wrote to another page, with new entries in all indexes.
  fillfactor = 42,
  autovacuum_vacuum_scale_factor = 0.05,
  autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_cost_delay = 0,
  autovacuum_analyze_scale_factor = 0.2,
  -- after an analyze every connection plans its statements again, and our plans do not depend on statistics
  autovacuum_analyze_threshold = 5000
);

-- A claim that leaves every index of its job alone is a heap-only update, and costs a fifth less of the server. So no index looks at the
-- status, or at anything else that a claim from the line changes (decision 0035).
create index claimable_in_order on lockstep.jobs (stage_id, priority, position)
  where position is not null and held_by is null and not suspect and group_key is null;
create index claimable_in_turns on lockstep.jobs (stage_id, priority, group_key collate "C", position)
  where position is not null and held_by is null and not suspect and group_key is not null;
create index counted_in_stage on lockstep.jobs (stage_id, group_key collate "C")
  where counted;
-- With the id, since a list goes through jobs of the same time by their ids.
create index waiting_for_a_time on lockstep.jobs (stage_id, scheduled_for, id)
  where position is null;
create index held_by_worker on lockstep.jobs (held_by)
  where held_by is not null;
create index suspects_in_order on lockstep.jobs (stage_id, position)
  where suspect;
create index cancel_requested on lockstep.jobs (cancel_requested_at)
  where cancel_requested_at is not null;
create unique index one_live_job_per_dedup_key
  on lockstep.jobs (pipeline_id, coalesce(owner, ''), dedup_key)   -- two jobs without an owner are twins too
  where dedup_key is not null;
create index live_jobs_of_owner on lockstep.jobs (owner, id)
  where owner is not null;
create index expiring on lockstep.jobs (start_by)
  where start_by is not null and held_by is null;

-- What was claimed in the last seconds: a row for each lane that a call took from. With it a sweep finds the jobs of a lost worker.
create table lockstep.claimed_ranges (
  worker_id uuid not null,         -- the worker that claimed
  claim_token uuid not null,       -- of that call; a job in the range with another token was claimed by another call
  claimed_at timestamptz not null, -- after five seconds a heartbeat lists what is left as held and deletes the range
  stage_id integer not null,       -- with the priority, the lane that the jobs were taken from
  priority smallint not null,      -- with the stage, the lane that the jobs were taken from
  first_position bigint not null,  -- the claimed jobs lie between these two positions
  last_position bigint not null    -- the claimed jobs lie between these two positions
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_threshold = 100000);
-- There is no primary key, since every insert would pay for it. If a publication covers the table, all columns identify a row.
alter table lockstep.claimed_ranges replica identity full;

create index claimed_ranges_of_worker on lockstep.claimed_ranges (worker_id, claimed_at);
-- After a large claim a worker asks whether others have just claimed from the same line (is_line_shared).
create index claimed_ranges_of_stage on lockstep.claimed_ranges (stage_id, claimed_at);

-- A move of a job that concerns more than the counters; note_moves takes it.
create type lockstep.job_move as (
  job_id uuid,
  pipeline_id integer,
  stage_id integer,
  next_stage_id integer,    -- where it went when its stage was done
  moved_from text,          -- a status, or '' if it was not in this stage before
  moved_to text,            -- a status, or '' if it went on to the next stage; of a wait waiting, signalled, timed_out, slept
  attempt smallint,
  owner text,
  group_key text,
  batch_id uuid,
  counted boolean,          -- it ran in a stage with limits, or has spent of a budget
  value jsonb               -- the output, result or error; of a wait what its event tells
);

-- How a job ends, as finish_jobs takes it.
create type lockstep.job_end as (
  id uuid,
  claim_token uuid,              -- the token that the job has now; null: nobody holds it
  status lockstep.job_status,    -- completed, failed or cancelled
  last_outcome text,             -- timeout, lost or forced, if its last attempt ended so
  is_measured boolean,           -- whether its wait and run count for the stage's histogram
  losses smallint,               -- null: as the job has it
  result jsonb,
  error jsonb,
  done_stage text,               -- a stage that was done although the job was cancelled
  done_output jsonb,
  log jsonb                      -- null: keep what report_progress has stored
);

-- A row of settle_and_claim, which explains the kinds.
create type lockstep.exchange_row as (
  kind text,
  id uuid,
  stage_id integer,
  attempt smallint,
  priority smallint,
  "position" bigint,
  owner text,
  tags text[],
  payload jsonb,
  outputs jsonb,
  detail jsonb
);
