-- What a claim does before it looks for jobs in stages that spend: it locks their budgets, and lets jobs go on that have waited for them.
create or replace function lockstep.begin_spending(p_stage_ids integer[], p_now timestamptz)
returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_budget_ids constant integer[] := lockstep.budgets_of_stages(p_stage_ids);
begin
  perform lockstep.refill_budgets(v_budget_ids, lockstep.lock_budgets(v_budget_ids), p_now);
end;
$$;
