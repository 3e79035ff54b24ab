-- Ends the reservations of attempts that have ended: what they have spent becomes an entry, and the rest is free. Locks no budget, since
-- claims lock budgets first and then come to jobs.
create or replace function lockstep.settle_budgets(p_moves lockstep.job_move[])
returns void
language sql
security definer
set search_path = pg_catalog, pg_temp
as $$
  with ended as (
    delete from lockstep.budget_reservations r
    using unnest(p_moves) m
    where r.job_id = m.job_id and m.counted and m.moved_from = 'processing'
    returning r.budget_id, r.scope, r.period_began, r.spent
  )
  insert into lockstep.budget_entries (budget_id, scope, period_began, spent, attempts)
  select e.budget_id, e.scope, e.period_began, sum(e.spent), count(*)
  from ended e
  group by e.budget_id, e.scope, e.period_began;
$$;
