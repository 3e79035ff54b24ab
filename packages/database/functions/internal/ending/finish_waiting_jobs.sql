-- Ends live jobs without asking the workers that may hold them. The caller has locked their rows. Returns the moves that the caller must
-- pass to note_moves, together with any others of its own.
create or replace function lockstep.finish_waiting_jobs(
  p_ids uuid[],
  p_status lockstep.job_status,
  p_error jsonb,
  p_now timestamptz
)
returns lockstep.job_move[]
language sql
security definer
set search_path = pg_catalog, pg_temp
as $$
  select lockstep.leave_budgets(p_ids);
  select lockstep.finish_jobs(array_agg((
    j.id, j.claim_token, p_status, case when j.status = 'processing' then 'forced' end, false, null,
    null, p_error, null, null, null
  )::lockstep.job_end), p_now)
  from lockstep.jobs j
  where j.id = any (p_ids);
$$;
