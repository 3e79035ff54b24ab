create sequence lockstep.event_ids as bigint;

-- The realtime log: what happened to jobs with an owner, and to all jobs of pipelines that ask for it. An event is written in the
-- transaction of its move. Events are partitioned by day, so that retention drops whole tables.
create table lockstep.events (
  -- drawn while the job's row is locked: of two events of one job, the later one has the larger id
  id bigint not null default nextval('lockstep.event_ids'),
  -- the transaction that wrote it: tells which readers have had the event (read_events)
  xid xid8 not null default pg_current_xact_id(),
  at timestamptz not null,      -- when the job moved; decides in which day's table the row is
  job_id uuid not null,         -- the job that moved
  pipeline_id integer not null, -- the pipeline of the job; a reader may ask for one pipeline
  stage_id integer not null,    -- the stage that the job was in; for job.advanced, the one that it left
  owner text,                   -- the owner of the job; a reader may ask for one owner
  kind text not null,           -- what happened, such as job.completed (docs/realtime.md)
  detail jsonb                  -- what belongs to the kind: the attempt, the error, the result, the progress
) partition by range (at);

-- For days that have no table yet: a job must be able to move without one.
create table lockstep.events_default partition of lockstep.events default;

-- There is no primary key, since every move would pay for it. If a publication covers the tables, all columns identify a row.
alter table lockstep.events replica identity full;
alter table lockstep.events_default replica identity full;

create index on lockstep.events (id);
create index on lockstep.events (xid);
create index on lockstep.events (job_id);
create index on lockstep.events (owner, xid) where owner is not null;

-- How far retention has deleted events: a reader that has not had them is told so.
create table lockstep.deleted_events (
  only_row boolean primary key default true check (only_row), -- always true, so that there is one row at most
  deletions bigint not null,                                  -- how many deletions there were; a cursor says how many of them its reader knows of
  last_id bigint not null,                                    -- the largest id that was deleted
  last_xid xid8 not null,                                     -- the largest transaction id among the deleted events
  seen_in pg_snapshot not null                                -- the transactions that had ended at the last deletion
);
insert into lockstep.deleted_events (deletions, last_id, last_xid, seen_in) values (0, 0, '0', '1:1:');

-- Each cursor of the realtime log belongs to one incarnation of the server. A cursor contains transaction ids. A server that has
-- crashed, was promoted or was restored uses some ids again, or has lost the transactions that had them. The table is unlogged for this
-- reason: PostgreSQL empties it in every recovery, but keeps it over a clean shutdown, in which nothing is lost. A cursor whose
-- incarnation is not in the table is from another life of this server.
create unlogged table lockstep.incarnations (
  id uuid primary key default gen_random_uuid(), -- a cursor names its incarnation by this
  started_at timestamptz not null,               -- when the server was last started; a start adds a row (incarnation)
  database_oid oid not null,                     -- a database that was created as a copy of this one has the same rows, but another oid
  written_by xid,                                -- the xmin of the row itself; a row that came from a dump has another xmin
  restored_id bigint not null                    -- events up to this id came from a dump, so that their transaction ids mean nothing here
);
create index on lockstep.incarnations (started_at);

-- The incarnations of this server and database, without rows that came from a dump or from a copied database.
create view lockstep.known_incarnations as
select i.id, i.started_at, i.restored_id
from lockstep.incarnations i
where i.written_by = i.xmin
  and i.database_oid = (select d.oid from pg_database d where d.datname = current_database());

create sequence lockstep.stream_ids as bigint;

-- Streams: what handlers write to their readers while they run (docs/streams.md). A row for each job and name, and only for jobs that
-- write one. Whoever writes to a stream locks its job's row first, so that a stream has one writer at a time and its order is that of the commits.
create table lockstep.streams (
  job_id uuid not null,              -- the job whose handler writes
  name text not null,                -- what the handler calls the stream; unique within its job
  -- what its chunks are found by; a stream that begins anew gets another id, and nobody finds the chunks it had before
  id bigint not null default nextval('lockstep.stream_ids'),
  job_added_at timestamptz not null, -- tells the job from a later one with the same id, which has streams of its own
  pipeline_id integer not null,      -- where a read looks for the job among the finished ones
  begun_at timestamptz not null,     -- decides in which day's table its chunks are, and so how long it is kept
  written_at timestamptz not null,   -- when something was last written
  claim_token uuid not null,         -- of the attempt that wrote last; the first write of another one cuts its text off
  mark integer not null,             -- random, drawn for each attempt that writes; a cursor names the mark beside the entry
  last_entry bigint not null,        -- how many chunks were ever written, with those that were cut off since
  chunks integer not null,           -- how many chunks are kept
  bytes bigint not null,             -- how much room the kept chunks take
  stage_ids integer[] not null,      -- the stages that wrote, in this order; an attempt cuts off what its stage wrote, not what earlier ones did
  stage_starts integer[] not null,   -- for each of these stages, how many chunks were kept before its first one
  window_at timestamptz not null,    -- when the current window of the rate began
  window_bytes integer not null,     -- how much was written since then
  primary key (job_id, name),
  constraint stream_name_is_speakable check (name ~ '^[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}$')
) with (
  fillfactor = 50, -- every write updates the row, and should find room on the same page
  autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_threshold = 100000
);
-- Retention goes by it.
create index streams_by_age on lockstep.streams (begun_at);

-- The chunks of streams: a row for what one attempt wrote to one stream in one call. All rows of a stream are in the table of the day on
-- which it began, so that retention drops streams as a whole.
create table lockstep.stream_chunks (
  begun_at timestamptz not null, -- as in streams
  stream_id bigint not null,     -- as in streams
  entry bigint not null,         -- the number of its first chunk among all that were ever written to the stream; never used twice
  mark integer not null,         -- of the attempt that wrote it
  first_seq integer not null,    -- the number of its first chunk among those that are kept
  rewind_to integer,             -- how many chunks were left when this attempt cut the others off; null: it cut off nothing
  bytes integer not null,        -- how much room its chunks take
  chunks jsonb not null,         -- an array
  primary key (stream_id, entry, begun_at)
) partition by range (begun_at);

-- For days that have no table yet: a handler must be able to write without one.
create table lockstep.stream_chunks_default partition of lockstep.stream_chunks default;
alter table lockstep.stream_chunks replica identity full;
alter table lockstep.stream_chunks_default replica identity full;
