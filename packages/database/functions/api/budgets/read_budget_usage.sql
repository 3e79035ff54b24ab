-- What scopes of a budget have spent: a row for each scope and period, the newest period first, then by scope. p_after_period and
-- p_after_scope are those of the last row of the page before. Only of one scope, or of periods that began at p_since or later, if given.
-- spent is what attempts have spent, those that still run too; reserved is what these may spend beyond that. waiting is how many jobs wait
-- for room, counted up to 10,000; only in the row of the current period. What the effects of lost claims have spent is missing for some seconds.
create or replace function lockstep.read_budget_usage(
  p_name text,
  p_scope text default null,
  p_since timestamptz default null,
  p_after_period timestamptz default null,
  p_after_scope text default null,
  p_limit integer default 100,
  p_now timestamptz default clock_timestamp()
)
returns table (
  scope text,
  period_began timestamptz,
  turns_at timestamptz,     -- when the period ends; null: never
  limit_now numeric,        -- the limit that the scope has now, whatever it was then
  is_own_limit boolean,     -- it was set for this scope
  spent numeric,
  reserved numeric,
  running integer,          -- jobs that run, or are about to
  attempts bigint,          -- attempts that have ended
  waiting integer
)
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_budget lockstep.budgets;
  v_since constant timestamptz := coalesce(p_since, '-infinity');
begin
  if p_limit is null or p_limit not between 1 and 1000 then
    raise exception 'The limit is %, but must be from 1 to 1000.', p_limit using errcode = 'LS001';
  end if;
  select b.* into v_budget from lockstep.budgets b where b.name = p_name;
  if not found then
    raise exception 'There is no budget "%".', left(coalesce(p_name, ''), 120)
      using errcode = 'LS003', hint = 'See read_budgets for the names that exist. Pipelines define budgets.';
  end if;

  return query
    select
      u.scope, u.period_began,
      case when v_budget.every_ms is not null then u.period_began + make_interval(secs => v_budget.every_ms / 1000.0) end,
      s.scope_limit,
      exists (select from lockstep.budget_limits l where l.budget_id = v_budget.id and l.scope = u.scope),
      s.spent, s.reserved, s.running,
      u.attempts + coalesce((
        select sum(e.attempts)
        from lockstep.budget_entries e
        where e.budget_id = v_budget.id and e.scope = u.scope and e.period_began = u.period_began
      ), 0)::bigint,
      case when u.period_began = lockstep.budget_period(v_budget.every_ms, p_now) then (
        select count(*)::integer
        from (select from lockstep.budget_waits w where w.budget_id = v_budget.id and w.scope = u.scope limit 10000) w
      ) else 0 end
    from (
      -- an arm for each order that an index has
      (
        select u.* from lockstep.budget_usage u
        where p_scope is not null and u.budget_id = v_budget.id and u.scope = p_scope and u.period_began >= v_since
          and (p_after_period is null or u.period_began < p_after_period)
        order by u.period_began desc
        limit p_limit
      )
      union all
      (
        select u.* from lockstep.budget_usage u
        where p_scope is null and p_after_period is not null and u.budget_id = v_budget.id and u.period_began = p_after_period
          and u.scope > coalesce(p_after_scope, '') collate "C"
        order by u.scope
        limit p_limit
      )
      union all
      (
        select u.* from lockstep.budget_usage u
        where p_scope is null and u.budget_id = v_budget.id and u.period_began >= v_since
          and (p_after_period is null or u.period_began < p_after_period)
        order by u.period_began desc, u.scope
        limit p_limit
      )
      order by period_began desc, scope
      limit p_limit
    ) u
    cross join lateral lockstep.budget_state(v_budget.id, u.scope, u.period_began) s
    order by u.period_began desc, u.scope;
end;
$$;
