-- What some moves of stage_moves mean, in the words that people read: one row, with their number under each word that fits.
-- A job kept for its next stage enters and starts at once; one that is lost may also be failed.
-- Plain SQL without settings, so that it is inlined.
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
  cancelled bigint
)
language sql
immutable
parallel safe
as $$
  select
    case when p_from = '' then p_jobs else 0 end,
    case when p_to = 'processing' then p_jobs else 0 end,
    case when p_from = 'processing' and p_to = '' then p_jobs else 0 end,
    case when p_to = 'completed' then p_jobs else 0 end,
    case when p_to = 'retrying' then p_jobs else 0 end,
    case when p_to = 'failed' then p_jobs else 0 end,
    case when p_from = 'processing' and p_to = 'scheduled' then p_jobs else 0 end,
    case when p_from = 'processing' and p_to = 'pending' and p_run_bucket >= 0 then p_jobs else 0 end,
    case when p_run_bucket < 0 then p_jobs else 0 end,
    case when p_to = 'cancelled' then p_jobs else 0 end;
$$;
