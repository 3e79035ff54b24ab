-- When the next claim in a stage may let jobs go on that wait for one of its budgets, in this stage or another; null: that does not depend on
-- the time.
create or replace function lockstep.next_look_at_budgets(p_stage_id integer, p_now timestamptz)
returns timestamptz
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  select greatest(n.look_at, p_now)
  from (
    select min(n.look_at) as look_at
    from unnest(lockstep.budgets_of_stages(array[p_stage_id])) as b (id)
    cross join lateral (
      select s.look_at from lockstep.budget_scopes s where s.budget_id = b.id order by s.look_at limit 1
    ) n
  ) n
  -- greatest passes over nulls, and a worker that is told "now" looks again at once
  where n.look_at < lockstep.never();
$$;
