-- Numbers for people: small rows added per batch of moves, folded later, so that no counter row is fought over.

create table lockstep.stage_moves (
  at timestamptz not null,
  stage_id integer not null,
  moved_from text not null,                -- a status, or '' for what was not in this stage before
  moved_to text not null,                  -- a status, or '' for what went on to the next stage
  wait_bucket smallint not null default 0, -- how long the ended try had waited for its claim; 0: not measured
  run_bucket smallint not null default 0,  -- how long it ran; 0: not measured
  jobs integer not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);

create table lockstep.stage_counts (
  stage_id integer not null,
  status lockstep.job_status not null,
  jobs bigint not null,
  primary key (stage_id, status)
) with (fillfactor = 50);

-- Per minute, kept for thirty days.
create table lockstep.stage_history (
  minute timestamptz not null,
  stage_id integer not null,
  moved_from text not null,
  moved_to text not null,
  wait_bucket smallint not null,
  run_bucket smallint not null,
  jobs bigint not null,
  primary key (minute, stage_id, moved_from, moved_to, wait_bucket, run_bucket)
);
