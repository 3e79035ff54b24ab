-- What people did to the queue. record_action only adds rows; retention deletes them when they are old.
create table lockstep.recorded_actions (
  id bigint generated always as identity primary key, -- in the order of the actions; lists are sorted by it
  at timestamptz not null,                            -- when it was done
  user_name text not null,                            -- who did it
  action text not null,                               -- what was done: jobs.cancel, stages.pause, bulk.start
  target text not null,                               -- to what: jobs/ID, stages/PIPELINE/STAGE, schedules/NAME; '' for none
  outcome text not null,                              -- what the queue answered: cancelled, not_found, applied
  request_id text,                                    -- the HTTP request that it came with, to find it in logs
  detail jsonb                                        -- what else belongs to the action, such as the reason; never a payload
);
create index recorded_actions_of_user on lockstep.recorded_actions (user_name, id);
create index recorded_actions_on_target on lockstep.recorded_actions (target, id);

-- The answers to requests with an idempotency key. If a request comes again, it gets the same answer and nothing is done.
create table lockstep.idempotency_keys (
  user_name text not null collate "C", -- keys of different users have nothing to do with each other
  key text not null collate "C",       -- the Idempotency-Key of the request
  request_hash text not null,          -- tells the same request sent again from another one under the same key
  answer json not null,                -- not jsonb: it must come back exactly as it was given
  expires_at timestamptz not null,     -- after this time the key may be used again
  -- the owner that the user's access is bound to, '' for none: one owner never gets the answer of another
  owner text not null default '' collate "C",
  primary key (user_name, owner, key)
);
create index idempotency_keys_that_expire on lockstep.idempotency_keys (expires_at);

-- Cancels or retries of many jobs, done in small steps by any process that calls step_bulk_action.
create table lockstep.bulk_actions (
  id uuid primary key,                  -- UUID version 7, since lists are sorted by it
  action text not null,                 -- what is done to each job
  filter jsonb not null,                -- which jobs are meant, of those that were added before started_at
  ids uuid[],                           -- if single jobs were named: these, and only those that the filter means too
  from_stage text,                      -- at which stage retried jobs begin; null: where each of them ended
  status text not null,                 -- running until every job was seen, or somebody aborts it
  asked_by text not null,               -- the user who started it
  matched bigint not null,              -- how many jobs the filter meant at the start, counted up to a cap; corrected as more are found
  is_matched_exact boolean not null,    -- whether matched is exact; false: at least so many
  done integer not null default 0,      -- how many jobs were cancelled or retried
  skipped jsonb not null default '{}',  -- how many were not, by what was answered, such as already_finished or conflict
  failed integer not null default 0,    -- how many ended in an error
  failures jsonb not null default '[]', -- the first 20 of these errors: jobId, code, message
  place jsonb,                          -- of the last job that was seen: a filter is gone through once, from new to old
  seen integer not null default 0,      -- how many of the ids were seen
  started_at timestamptz not null,      -- jobs that were added later are left alone
  stepped_at timestamptz not null,      -- when the last step was done
  finished_at timestamptz,              -- when it was done or aborted; null: it is running
  constraint bulk_action_is_known check (action in ('cancel', 'retry')),
  constraint bulk_status_is_known check (status in ('running', 'done', 'aborted')),
  constraint bulk_runs_until_it_is_finished check ((status = 'running') = (finished_at is null))
) with (fillfactor = 50);
create index running_bulk_actions on lockstep.bulk_actions (id) where status = 'running';

-- A bulk action as get_bulk_action shows it.
create type lockstep.shown_bulk_action as (
  id uuid,
  action text,
  filter jsonb,
  ids integer,
  from_stage text,
  status text,
  asked_by text,
  matched bigint,
  is_matched_exact boolean,
  done integer,
  skipped jsonb,
  failed integer,
  failures jsonb,
  started_at timestamptz,
  stepped_at timestamptz,
  finished_at timestamptz,
  looked_to timestamptz
);

-- What people and other systems have told single jobs, for the stages that wait for it. Each wait of a job takes one signal.
create table lockstep.signals (
  job_id uuid not null,              -- the job that is told
  name text not null,                -- the wait that it is for: the name of a stage
  job_added_at timestamptz not null, -- tells the job from a later one with the same id, which has signals of its own
  pipeline_id integer not null,      -- where retention looks for the job among the finished ones
  value jsonb not null,              -- what was said; the output of the wait
  sent_at timestamptz not null,      -- when it came
  sent_by text,                      -- who sent it, if they said so
  taken_at timestamptz,              -- when the wait took it; null: it came early, and is kept until the job is there
  looked_at timestamptz not null,    -- when retention last found the job; until then, when the signal came
  primary key (job_id, name)
);
create index signals_to_look_at on lockstep.signals (looked_at);

-- Names by which jobs can be signalled, for those who do not know the id. A key belongs to one job until that has finished.
create table lockstep.signal_keys (
  pipeline_id integer not null,      -- keys of different pipelines have nothing to do with each other
  key text not null collate "C",     -- such as the number of an order
  job_id uuid not null,              -- the job that it means
  job_added_at timestamptz not null, -- tells the job from a later one with the same id
  looked_at timestamptz not null,    -- when retention last found the job; until then, when the key was set
  primary key (pipeline_id, key),
  constraint signal_key_has_1_to_255_bytes check (octet_length(key) between 1 and 255)
);
create index signal_keys_to_look_at on lockstep.signal_keys (looked_at);
