-- Locks these budgets until the transaction ends, and those that are spent together with them: a job that waits for one of these may need
-- both. Whoever holds such a lock waits for no job, since settles wait for the lock with the locks of their jobs. Returns what is locked.
create or replace function lockstep.lock_budgets(p_budget_ids integer[])
returns integer[]
language sql
security definer
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(array_agg(l.id), '{}')
  from (
    select b.id
    from lockstep.budgets b
    where b.id = any (p_budget_ids)
      or b.name in (
        select k.name
        from lockstep.stages s
        cross join lateral jsonb_object_keys(s.spends) as k (name)
        where s.spends ?| array(select o.name from lockstep.budgets o where o.id = any (p_budget_ids))
      )
    order by b.id
    for no key update
  ) l;
$$;
