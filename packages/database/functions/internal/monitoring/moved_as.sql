-- Translates moves of stage_moves into the words that people read: one row, with the number of jobs in each column that fits.
-- A job that its worker keeps enters and starts its next stage at once; a lost job may also be failed, and one that skips its last stage is
-- completed. A wait that ended, for a signal or for children, has the time that it took as its run.
-- Plain SQL without settings, so that PostgreSQL inlines it.
create or replace function lockstep.moved_as(p_from text, p_to text, p_run_bucket smallint, p_jobs bigint)
returns table (
  entered bigint,
  started bigint,
  advanced bigint,
  completed bigint,
  retrying bigint,
  failed bigint,
  snoozed bigint,
  released bigint,
  lost bigint,
  cancelled bigint,
  skipped bigint
)
language sql
immutable
parallel safe
as $$
  select
    case when p_from = '' then p_jobs else 0 end,
    case when p_to = 'processing' then p_jobs else 0 end,
    case when p_to = '' and (p_from = 'processing' and p_run_bucket >= 0 or p_from = 'scheduled' and p_run_bucket > 0) then p_jobs else 0 end,
    case when p_to = 'completed' then p_jobs else 0 end,
    case when p_to = 'retrying' then p_jobs else 0 end,
    case when p_to = 'failed' then p_jobs else 0 end,
    case when p_from = 'processing' and p_to = 'scheduled' and p_run_bucket >= 0 then p_jobs else 0 end,
    case when p_from = 'processing' and p_to = 'pending' and p_run_bucket >= 0 then p_jobs else 0 end,
    case when p_run_bucket = -1 then p_jobs else 0 end,
    case when p_to = 'cancelled' then p_jobs else 0 end,
    case when p_run_bucket = -2 then p_jobs else 0 end;
$$;
