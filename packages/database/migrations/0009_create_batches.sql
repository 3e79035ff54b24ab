-- Batches: jobs that are counted together, and what waits for their end.

create table lockstep.batches (
  id uuid primary key,
  added_at timestamptz not null,
  -- how many jobs it has, and how many of them have ended as what
  total integer not null default 0,
  completed integer not null default 0,
  failed integer not null default 0,
  cancelled integer not null default 0,
  closed_at timestamptz,             -- from here on no job joins it; null: it is open
  finished_at timestamptz,           -- closed, and all its jobs have ended
  waiting_job_id uuid,               -- goes on when it is finished: its follower, or the parent that fanned out
  -- of a fan-out
  fan_out_stage_id integer,          -- the stage whose handler asked for it
  fan_out_token uuid,                -- under which claim
  on_failure text,
  cancels_jobs boolean not null default false,   -- some of its jobs are still to be cancelled
  constraint counters_add_up check (least(completed, failed, cancelled) >= 0 and completed + failed + cancelled <= total),
  constraint finished_only_when_closed check (finished_at is null or closed_at is not null),
  constraint on_failure_is_known check (on_failure in ('fail', 'continue', 'ignore')),
  constraint fan_out_is_whole check (
    num_nonnulls(fan_out_stage_id, fan_out_token, on_failure) = case when fan_out_stage_id is null then 0 else 3 end
  )
) with (fillfactor = 50);   -- its counters change with every call that ends some of its jobs

create index batches_by_waiting_job on lockstep.batches (waiting_job_id) where waiting_job_id is not null;
create index batches_with_jobs_to_cancel on lockstep.batches (id) where cancels_jobs;
create index batches_not_finished on lockstep.batches (id) where finished_at is null;
create index batches_by_end on lockstep.batches (finished_at) where finished_at is not null;

-- What waits for a batch has no time.
alter table lockstep.jobs drop constraint waits_for_a_time;
alter table lockstep.jobs add constraint waits_for_a_time check (
  status = 'pending' or status = 'processing' or scheduled_for is not null or (status = 'scheduled' and waits_for is not null)
);
