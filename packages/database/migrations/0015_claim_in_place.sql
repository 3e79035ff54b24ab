-- A claim that leaves every index of its job alone is a heap-only update, and costs a fifth less of the server.
-- So the indexes go by listed_as and held_by, which most claims do not touch: see decision 0035.

alter table lockstep.jobs
  add column listed_as lockstep.job_status,    -- its status, but still pending when it was claimed a moment ago
  add column held_by uuid;                     -- its worker, when it is listed as processing
update lockstep.jobs set listed_as = status, held_by = worker_id;
alter table lockstep.jobs alter column listed_as set default 'pending';
alter table lockstep.jobs alter column listed_as set not null;

-- Checked at every move, and so written for speed: the common case first.
alter table lockstep.jobs drop constraint held_only_while_processing;
alter table lockstep.jobs add constraint held_only_while_processing check (
  case when status = 'processing' then claim_token is not null and worker_id is not null and claimed_at is not null
      and case when listed_as = 'pending' then held_by is null
        else listed_as = 'processing' and held_by is not null and held_by = worker_id end
    else claim_token is null and worker_id is null and claimed_at is null and held_by is null and listed_as = status end
);

drop index lockstep.claimable_in_order;
drop index lockstep.claimable_in_turns;
drop index lockstep.waiting_for_a_time;
drop index lockstep.held_by_worker;
drop index lockstep.expiring;
drop index lockstep.claims_to_note;
create index claimable_in_order on lockstep.jobs (stage_id, priority, position)
  where listed_as = 'pending' and not suspect and group_key is null;
create index claimable_in_turns on lockstep.jobs (stage_id, priority, group_key collate "C", position)
  where listed_as = 'pending' and not suspect and group_key is not null;
create index waiting_for_a_time on lockstep.jobs (stage_id, scheduled_for, id)
  where listed_as in ('scheduled', 'retrying');
create index held_by_worker on lockstep.jobs (held_by)
  where held_by is not null;
create index expiring on lockstep.jobs (start_by)
  where start_by is not null and listed_as <> 'processing';

-- What was claimed a moment ago, one row for what a call took from one lane: a lost worker's jobs are found by it.
create table lockstep.claimed_ranges (
  worker_id uuid not null,
  claim_token uuid not null,
  claimed_at timestamptz not null,
  stage_id integer not null,
  priority smallint not null,
  first_position bigint not null,
  last_position bigint not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);

create index claimed_ranges_of_worker on lockstep.claimed_ranges (worker_id, claimed_at);

drop function if exists lockstep.log_claims(uuid[], uuid[], timestamptz);
