-- The budgets by name: their limits, the pipelines that list them, and how many jobs wait for them, counted up to 10,000. limit_now is the
-- one that holds for scopes without a limit of their own (read_budget_usage). turns_at is when the period ends; null: never.
create or replace function lockstep.read_budgets(p_now timestamptz default clock_timestamp())
returns table (
  name text,
  per text,
  unit text,
  limit_now numeric,
  defined_limit numeric,
  every_ms bigint,
  turns_at timestamptz,
  pipelines text[],
  scopes_with_limits integer,
  waiting_jobs integer,
  waiting_scopes integer
)
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  select
    b.name, b.per, b.unit, coalesce(b.set_limit, b.defined_limit), b.defined_limit, b.every_ms,
    nullif(lockstep.budget_turn(b.every_ms, p_now), lockstep.never()),
    array(select p.name from lockstep.pipelines p where b.name = any (p.budgets) and p.branch_of is null order by p.name),
    (
      select count(*)::integer
      from (select from lockstep.budget_limits l where l.budget_id = b.id limit 10000) l
    ),
    (
      select count(*)::integer
      from (select from lockstep.budget_waits w where w.budget_id = b.id limit 10000) w
    ),
    (
      select count(*)::integer
      from (select from lockstep.budget_scopes s where s.budget_id = b.id limit 10000) s
    )
  from lockstep.budgets b
  order by b.name;
$$;
