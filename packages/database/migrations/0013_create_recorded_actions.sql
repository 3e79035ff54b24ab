-- What people do to the queue: who did what, and what was answered to a request that may be sent again.

-- Rows are only ever added, by record_action, and go when they are old.
create table lockstep.recorded_actions (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  user_name text not null,
  action text not null,                -- a verb of the house: jobs.cancel, stages.pause, bulk.start
  target text not null,                -- jobs/<id>, stages/<pipeline>/<stage>, schedules/<name>; '' for none
  outcome text not null,               -- what the queue answered: cancelled, not_found, applied
  request_id text,
  detail jsonb
);
create index recorded_actions_of_user on lockstep.recorded_actions (user_name, id);
create index recorded_actions_on_target on lockstep.recorded_actions (target, id);

-- A request that comes again under its key is answered from here, and does nothing.
create table lockstep.idempotency_keys (
  user_name text not null collate "C",
  key text not null collate "C",
  request_hash text not null,
  answer json not null,                -- not jsonb: it is to come back as it was given
  expires_at timestamptz not null,
  primary key (user_name, key)
);
create index idempotency_keys_that_expire on lockstep.idempotency_keys (expires_at);

-- Cancels or retries over many jobs, done in small steps by whoever is there.
create table lockstep.bulk_actions (
  id uuid primary key,                 -- by time
  action text not null,
  filter jsonb not null,               -- of jobs that were added before started_at
  ids uuid[],                          -- where single jobs were named; the filter holds for them too
  from_stage text,
  status text not null,
  asked_by text not null,
  matched bigint not null,             -- at the start: counted up to a cap
  is_matched_exact boolean not null,
  done integer not null default 0,
  skipped jsonb not null default '{}', -- how many by what was answered: already_finished, conflict
  failed integer not null default 0,
  failures jsonb not null default '[]', -- the first 20: jobId, code, message
  place jsonb,                         -- of the last job that was seen: the list is gone through once, from new to old
  seen integer not null default 0,     -- how many of the ids
  started_at timestamptz not null,
  stepped_at timestamptz not null,
  finished_at timestamptz,
  constraint bulk_action_is_known check (action in ('cancel', 'retry')),
  constraint bulk_status_is_known check (status in ('running', 'done', 'aborted')),
  constraint bulk_runs_until_it_is_finished check ((status = 'running') = (finished_at is null))
) with (fillfactor = 50);
create index running_bulk_actions on lockstep.bulk_actions (id) where status = 'running';

insert into lockstep.upkeep (task, done_at) values ('recorded_actions', '-infinity');
