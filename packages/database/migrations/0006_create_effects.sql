-- The ledger of once(key, fn): what handlers did outside the database, so that no later try does it again.

create table lockstep.effects (
  job_id uuid not null,
  key text not null,
  job_added_at timestamptz not null,       -- a job added under the id of one that is long gone has no part in its effects
  pipeline_id integer not null,            -- where to look for the job among the finished ones
  looked_at timestamptz not null,          -- when it was last known to have a job
  started_at timestamptz not null,         -- the latest start
  ended_at timestamptz,                    -- how the latest start ended, if it said so
  idempotency_key uuid not null,           -- drawn at the first start, the same for every later one
  claim_token uuid not null,               -- of the latest start
  starts integer not null default 1,
  may_have_happened boolean not null default false,   -- one of its starts did not say, or know, how it ended
  state text not null default 'started',
  value jsonb,                             -- what it returned; null: nothing
  primary key (job_id, key),
  constraint effect_state_is_known check (state in ('started', 'stopped', 'done')),
  constraint effect_key_has_1_to_255_bytes check (octet_length(key) between 1 and 255)
) with (fillfactor = 70);                  -- room on its page for the version that ends it

-- Retention goes by this: each is looked at once in a while, never all at once.
create index effects_to_look_at on lockstep.effects (looked_at);

insert into lockstep.upkeep (task, done_at) values ('effects', '-infinity');
