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
