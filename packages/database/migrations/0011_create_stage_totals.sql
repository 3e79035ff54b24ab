-- Numbers that only grow, for whoever reads them from outside now and then: the history by minute ends after thirty days.

-- How the moves of each stage add up since it was defined. A few hundred rows per stage at the most.
create table lockstep.stage_totals (
  stage_id integer not null,
  moved_from text not null,
  moved_to text not null,
  wait_bucket smallint not null,
  run_bucket smallint not null,           -- as in stage_moves; -1: the try ended with its worker
  jobs bigint not null,
  primary key (stage_id, moved_from, moved_to, wait_bucket, run_bucket)
) with (fillfactor = 50);

insert into lockstep.stage_totals (stage_id, moved_from, moved_to, wait_bucket, run_bucket, jobs)
select h.stage_id, h.moved_from, h.moved_to, h.wait_bucket, h.run_bucket, sum(h.jobs)
from lockstep.stage_history h
group by h.stage_id, h.moved_from, h.moved_to, h.wait_bucket, h.run_bucket;

-- One stage's chart reads that stage's minutes alone.
create index history_of_stage on lockstep.stage_history (stage_id, minute);
