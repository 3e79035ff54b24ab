-- How a scope of a budget stands in a period. What running attempts have spent is in spent, what they may still spend in reserved.
-- All in one statement: a settle turns a reservation into an entry, and whoever reads one before its commit and the other after it
-- would see neither, or both.
create or replace function lockstep.budget_state(p_budget_id integer, p_scope text, p_period_began timestamptz)
returns table (scope_limit numeric, spent numeric, reserved numeric, running integer, is_new boolean)
language sql
stable
as $$
  select
    coalesce(l.set_limit, b.set_limit, b.defined_limit),
    coalesce(u.spent, 0) + e.spent + r.spent,
    r.reserved,
    r.running,
    u.budget_id is null
  from lockstep.budgets b
  left join lockstep.budget_limits l on l.budget_id = b.id and l.scope = p_scope
  left join lockstep.budget_usage u on u.budget_id = b.id and u.scope = p_scope and u.period_began = p_period_began
  cross join lateral (
    select coalesce(sum(e.spent), 0) as spent
    from lockstep.budget_entries e
    where e.budget_id = p_budget_id and e.scope = p_scope and e.period_began = p_period_began
  ) e
  cross join lateral (
    select coalesce(sum(r.spent), 0) as spent, coalesce(sum(greatest(r.amount - r.spent, 0)), 0) as reserved, count(*)::integer as running
    from lockstep.budget_reservations r
    where r.budget_id = p_budget_id and r.scope = p_scope and r.period_began = p_period_began
  ) r
  where b.id = p_budget_id;
$$;
