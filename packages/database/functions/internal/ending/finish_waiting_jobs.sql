-- Ends live jobs without asking the workers that may hold them. The caller has locked their rows.
create or replace function lockstep.finish_waiting_jobs(
  p_ids uuid[],
  p_status lockstep.job_status,
  p_error jsonb,
  p_now timestamptz
)
returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_ends lockstep.job_end[];
begin
  select array_agg((
    j.id, j.claim_token, p_status, case when j.status = 'processing' then 'forced' end, false, null,
    null, p_error, null, null, null
  )::lockstep.job_end)
  into v_ends
  from lockstep.jobs j
  where j.id = any (p_ids);
  perform lockstep.leave_budgets(p_ids);
  perform lockstep.note_moves(lockstep.finish_jobs(v_ends, p_now), p_now);
end;
$$;
