-- Jobs that are counted together, and the job that waits for their end.
create table lockstep.batches (
  id uuid primary key,                         -- given with open_batch, or drawn; jobs join by it
  added_at timestamptz not null,               -- when it was opened
  total integer not null default 0,            -- how many jobs have joined it
  completed integer not null default 0,        -- how many of them are completed
  failed integer not null default 0,           -- how many of them are failed; a retry by a person takes one off
  cancelled integer not null default 0,        -- how many of them are cancelled; a retry by a person takes one off
  closed_at timestamptz,                       -- after this time no job can join it; null: it is open
  finished_at timestamptz,                     -- when it was closed and all its jobs had ended; null: not yet, or one of them was retried
  waiting_job_id uuid,                         -- the job that runs when the batch is finished: its follower, or the parent that fanned out
  fan_out_stage_id integer,                    -- of a fan-out: the stage whose handler added the children; null: not a fan-out
  -- of a fan-out: the claim under which they were added, so that a repeated call finds its batch
  fan_out_token uuid,
  on_failure text,                             -- of a fan-out: what a child that fails or is cancelled means for the parent
  -- What the stage that fanned out gets as its output when the batch is finished, until when the job waits in that stage: branches (an
  -- object with the result of each child under the name of its branch) or child (the result of the only child). null: nothing, the job
  -- waits in its next stage.
  returns text,
  -- if it returns something: [{"name", "jobId", "onFailure"}], in the order given; the name of an only child is null
  branches jsonb,
  cancels_jobs boolean not null default false, -- some of its jobs are still to be cancelled; the next sweep goes on with them
  constraint counters_add_up check (least(completed, failed, cancelled) >= 0 and completed + failed + cancelled <= total),
  constraint finished_only_when_closed check (finished_at is null or closed_at is not null),
  constraint on_failure_is_known check (on_failure in ('fail', 'continue', 'ignore')),
  constraint returns_is_known check (returns in ('branches', 'child')),
  constraint returns_what_branches_say check ((returns is null) = (branches is null)),
  constraint fan_out_is_whole check (
    num_nonnulls(fan_out_stage_id, fan_out_token, on_failure) = case when fan_out_stage_id is null then 0 else 3 end
  )
) with (fillfactor = 50);   -- every call that ends some of its jobs updates the counters

create index batches_by_waiting_job on lockstep.batches (waiting_job_id) where waiting_job_id is not null;
create index batches_with_jobs_to_cancel on lockstep.batches (id) where cancels_jobs;
create index batches_not_finished on lockstep.batches (id) where finished_at is null;
create index batches_by_end on lockstep.batches (finished_at) where finished_at is not null;

create index live_jobs_of_batch on lockstep.jobs (batch_id)
  where batch_id is not null;
create index waiting_for_a_batch on lockstep.jobs (waits_for)
  where waits_for is not null;
