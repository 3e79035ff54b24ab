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

insert into lockstep.upkeep (task, done_at) values ('recorded_actions', '-infinity');
