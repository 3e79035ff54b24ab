-- What adds with a mode (for, throttle, debounce) know of earlier adds with the same dedup key. Without a mode, only the live jobs count.
-- An add whose key is not taken locks the key's row until its transaction ends, so that the next add sees the outcome.
create table lockstep.recent_keys (
  pipeline_id integer not null,    -- a dedup key belongs to one pipeline and owner
  owner text not null collate "C", -- '' for jobs without one
  mode text not null,              -- a key has a row for each mode that it is used with
  key text not null collate "C",   -- the dedup key
  job_id uuid not null,            -- the job that was last added under the key; before the first one, the id of whoever asked first
  added_at timestamptz not null,   -- when that job was added
  -- Until when the key is taken; -infinity: it never was. For debounce, it is when retention looks whether the job still waits.
  expires_at timestamptz not null,
  primary key (pipeline_id, owner, mode, key),
  constraint mode_is_known check (mode in ('for', 'throttle', 'debounce'))
) with (fillfactor = 70);
create index recent_keys_that_expire on lockstep.recent_keys (expires_at);

-- Adds that changed a waiting job instead of adding one. If such an add is sent again, it is recognised by its id.
create table lockstep.debounced_adds (
  id uuid primary key,          -- the id that the job would have had
  job_id uuid not null,         -- the waiting job that the add changed instead
  added_at timestamptz not null -- when the add came; the row is deleted an hour later
);
create index debounced_adds_in_time on lockstep.debounced_adds (added_at);
