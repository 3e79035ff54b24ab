-- What adds with a mode of dedup know of the adds before them. A plain dedup key asks only the live jobs.

-- Who adds under a key that is not taken holds its row to the end of the transaction, so that the next one sees what came of it.
create table lockstep.recent_keys (
  pipeline_id integer not null,
  owner text not null collate "C",         -- '' for jobs without one
  mode text not null,
  key text not null collate "C",
  job_id uuid not null,
  added_at timestamptz not null,           -- when that job was added
  -- until when the key is taken, -infinity before it ever was; when to look at it again where a job is debounced
  expires_at timestamptz not null,
  primary key (pipeline_id, owner, mode, key),
  constraint mode_is_known check (mode in ('for', 'throttle', 'debounce'))
) with (fillfactor = 70);
create index recent_keys_that_expire on lockstep.recent_keys (expires_at);

-- Adds that changed a waiting job and made none: one that is sent again is recognised by this.
create table lockstep.debounced_adds (
  id uuid primary key,                     -- under which the job would have been added
  job_id uuid not null,
  added_at timestamptz not null
);
create index debounced_adds_in_time on lockstep.debounced_adds (added_at);

insert into lockstep.upkeep (task, done_at) values ('recent_keys', '-infinity');
