-- The realtime log: what happened to jobs with an owner, and to all jobs of pipelines that ask for it. A row is written in the
-- transaction of the move it tells of, and kept by the day, so that retention drops whole tables.

-- Drawn while the job's row is held: of two events of one job, the later one has the larger id.
create sequence lockstep.event_ids as bigint;

create table lockstep.events (
  id bigint not null default nextval('lockstep.event_ids'),
  xid xid8 not null default pg_current_xact_id(),   -- says which readers have had it: see read_events
  at timestamptz not null,
  job_id uuid not null,
  pipeline_id integer not null,
  stage_id integer not null,
  owner text,
  kind text not null,
  detail jsonb
) partition by range (at);

-- Where a day has no table yet; a move must never fail for want of one.
create table lockstep.events_default partition of lockstep.events default;

create index on lockstep.events (id);
create index on lockstep.events (xid);
create index on lockstep.events (job_id);
create index on lockstep.events (owner, xid) where owner is not null;

-- What retention has deleted: a reader that comes back from before that is told so.
create table lockstep.deleted_events (
  only_row boolean primary key default true check (only_row),
  deletions bigint not null,
  last_id bigint not null,
  last_xid xid8 not null,
  seen_in pg_snapshot not null    -- the transactions that had ended at the last deletion
);
insert into lockstep.deleted_events (deletions, last_id, last_xid, seen_in) values (0, 0, '0', '1:1:');

-- The claims of a call that belong into the log, found in one look; most calls have none.
create index claims_to_note on lockstep.jobs (claim_token, position) where noted and claim_token is not null;
