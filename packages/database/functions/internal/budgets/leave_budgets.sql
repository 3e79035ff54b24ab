-- These jobs do not wait for budgets any more, and give back what they were granted. The caller has locked them.
create or replace function lockstep.leave_budgets(p_ids uuid[])
returns void
language sql
security definer
set search_path = pg_catalog, pg_temp
as $$
  delete from lockstep.budget_waits w where w.job_id = any (p_ids);
  with returned as (
    delete from lockstep.budget_reservations r
    where r.job_id = any (p_ids) and r.is_granted
    returning r.budget_id, r.scope, r.period_began, r.spent
  )
  insert into lockstep.budget_entries (budget_id, scope, period_began, spent, attempts)
  select r.budget_id, r.scope, r.period_began, sum(r.spent), 0
  from returned r
  group by r.budget_id, r.scope, r.period_began;
$$;
