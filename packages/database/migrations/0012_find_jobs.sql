-- Lists and counts by one filter: what their orders need beside the indexes that moves and claims have anyway.
-- Only jobs that did not succeed pay for these: they are few, and those that people look for.

drop function if exists lockstep.list_jobs(text, text, text, text, text, uuid, integer);
drop function if exists lockstep.get_job(uuid);
drop function if exists lockstep.job_rows(uuid[]);

-- One status among the others, by id and by end.
create index on lockstep.unsuccessful_jobs (pipeline_id, status, id);
create index on lockstep.unsuccessful_jobs (pipeline_id, status, finished_at, id);

-- Jobs of one time are paged by id. It serves all that its forerunner served.
drop index lockstep.waiting_for_a_time;
create index waiting_for_a_time on lockstep.jobs (stage_id, scheduled_for, id)
  where status in ('scheduled', 'retrying');

-- Which error a job failed with, as a name that all failures of the kind share; null unless it failed.
alter table lockstep.finished_jobs add column fingerprint text;
create index on lockstep.unsuccessful_jobs (fingerprint, id) where fingerprint is not null;
