-- The counters. Every call that moves jobs adds small rows, and fold_counters adds them up later: if all calls updated the same
-- counter, they would wait for each other.
create table lockstep.stage_moves (
  at timestamptz not null,                 -- when the jobs moved
  stage_id integer not null,               -- the stage that the jobs were in
  moved_from text not null,                -- a status, or '' if they were not in this stage before
  moved_to text not null,                  -- a status, or '' if they left this stage
  wait_bucket smallint not null default 0, -- time_bucket of how long the ended attempt had waited for its claim; 0: not measured
  -- time_bucket of how long the attempt ran; 0: not measured, -1: the attempt was lost with its worker, -2: the stage was skipped,
  -- -3: the attempt began children that the job waits for in this stage
  run_bucket smallint not null default 0,
  jobs integer not null,                   -- how many jobs of one call made this move
  -- For how many jobs sleeping workers are woken at the commit; null: no wake-up. When a job ends under a limit, it is 0: one worker is
  -- woken to look whether there is room now.
  wakes_for integer,
  constraint whoever_waits_is_announced check (moved_to <> 'pending' or wakes_for is not null)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);

-- There is no primary key, since every insert would pay for it. If a publication covers the table, all columns identify a row.
alter table lockstep.stage_moves replica identity full;

-- The trigger is made here, once, and not again with each change of the function: its lock would wait for any open transaction that added
-- a job, and every add, claim and settle would wait behind it. The body of the function comes from its own file, in the same migrate.
create or replace function lockstep.wake_at_commit()
returns trigger
language plpgsql
as 'begin return null; end';
-- It fires for each row, and a call writes a few rows for each stage, however many jobs it moves.
create constraint trigger wake_at_commit
  after insert on lockstep.stage_moves
  deferrable initially deferred
  for each row
  when (new.wakes_for is not null)
  execute function lockstep.wake_at_commit();

-- How many jobs each stage has in each status.
create table lockstep.stage_counts (
  stage_id integer not null,           -- the stage that the jobs are in, or ended in
  status lockstep.job_status not null, -- a finished status has a count too
  jobs bigint not null,                -- up to the last fold; finished jobs since the stage was defined, minus those that were retried
  primary key (stage_id, status)
) with (fillfactor = 50);

-- How many jobs made each move in each minute. Kept for thirty days.
create table lockstep.stage_history (
  minute timestamptz not null,   -- when the minute began
  stage_id integer not null,     -- the stage that the jobs were in
  moved_from text not null,      -- as in stage_moves
  moved_to text not null,        -- as in stage_moves
  wait_bucket smallint not null, -- as in stage_moves
  run_bucket smallint not null,  -- as in stage_moves
  jobs bigint not null,          -- how many jobs made this move in the minute
  primary key (minute, stage_id, moved_from, moved_to, wait_bucket, run_bucket)
);
-- The chart of one stage reads only the minutes of that stage.
create index history_of_stage on lockstep.stage_history (stage_id, minute);

-- The sums of stage_history by hour, written by the same fold, and kept for thirty days too. By minute, a week of a busy pipeline has a
-- hundred thousand rows, so charts with steps of whole hours read these instead.
create table lockstep.stage_history_by_hour (
  hour timestamptz not null,     -- when the hour began, in UTC
  stage_id integer not null,     -- the stage that the jobs were in
  moved_from text not null,      -- as in stage_moves
  moved_to text not null,        -- as in stage_moves
  wait_bucket smallint not null, -- as in stage_moves
  run_bucket smallint not null,  -- as in stage_moves
  jobs bigint not null,          -- how many jobs made this move in the hour
  primary key (hour, stage_id, moved_from, moved_to, wait_bucket, run_bucket)
) with (fillfactor = 50);

create index hours_of_stage on lockstep.stage_history_by_hour (stage_id, hour);

-- All moves of each stage since it was defined. These numbers only grow, so that a monitor that reads them now and then can take the
-- difference. At most a few hundred rows per stage.
create table lockstep.stage_totals (
  stage_id integer not null,     -- the stage that the jobs were in
  moved_from text not null,      -- as in stage_moves
  moved_to text not null,        -- as in stage_moves
  wait_bucket smallint not null, -- as in stage_moves
  run_bucket smallint not null,  -- as in stage_moves
  jobs bigint not null,          -- how many jobs have made this move, up to the last fold
  primary key (stage_id, moved_from, moved_to, wait_bucket, run_bucket)
) with (fillfactor = 50);
