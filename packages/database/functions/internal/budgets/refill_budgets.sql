-- Adds what attempts have spent to the usage of these budgets, and lets jobs go on that wait for them: in scopes where something was given
-- back, and where the period is over or the limit has changed. Does a limited part of it; the next call goes on. The caller has locked the
-- budgets, and in p_locked those that are spent together with them.
create or replace function lockstep.refill_budgets(p_budget_ids integer[], p_locked integer[], p_now timestamptz)
returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_scope record;
begin
  with folded as materialized (
    delete from lockstep.budget_entries e
    where e.ctid = any (array(select o.ctid from lockstep.budget_entries o where o.budget_id = any (p_budget_ids) limit 1000))
    returning e.budget_id, e.scope, e.period_began, e.spent, e.attempts
  ),
  added as (
    insert into lockstep.budget_usage as u (budget_id, scope, period_began, spent, attempts)
    select f.budget_id, f.scope, f.period_began, sum(f.spent), sum(f.attempts)
    from folded f
    group by f.budget_id, f.scope, f.period_began
    on conflict (budget_id, scope, period_began) do update
    set spent = u.spent + excluded.spent, attempts = u.attempts + excluded.attempts
  )
  update lockstep.budget_scopes s
  set look_at = p_now
  from (select distinct f.budget_id, f.scope from folded f) f
  where s.budget_id = f.budget_id and s.scope = f.scope and s.look_at > p_now;

  for v_scope in
    select d.budget_id, d.scope
    from unnest(p_budget_ids) as b (id)
    cross join lateral (
      select s.budget_id, s.scope
      from lockstep.budget_scopes s
      where s.budget_id = b.id and s.look_at <= p_now
      order by s.look_at
      limit 100
    ) d
  loop
    perform lockstep.refill_scope(v_scope.budget_id, v_scope.scope, p_locked, p_now);
  end loop;
end;
$$;
