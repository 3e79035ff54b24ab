-- How much of each budget is in use in its current period, by name: spent and reserved are those of all scopes together, scopes is how many
-- these are. fullest has the p_scopes of them that are nearest to their limit, or above it: an array of
-- {"scope", "limit", "spent", "reserved", "waiting"}, the fullest first. Reads a row for each scope of the period, and nothing older.
create or replace function lockstep.read_budget_totals(
  p_scopes integer default 10,
  p_now timestamptz default clock_timestamp()
)
returns table (name text, spent numeric, reserved numeric, scopes integer, fullest jsonb)
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  if p_scopes is null or p_scopes not between 0 and 100 then
    raise exception 'p_scopes is %, but must be from 0 to 100.', p_scopes using errcode = 'LS001';
  end if;

  return query
    with held as (
      select h.budget_id, h.scope, sum(h.spent) as spent, sum(h.reserved) as reserved
      from lockstep.budgets b
      cross join lateral (select lockstep.budget_period(b.every_ms, p_now) as began) p
      cross join lateral (
        select u.budget_id, u.scope, u.spent, 0 as reserved
        from lockstep.budget_usage u
        where u.budget_id = b.id and u.period_began = p.began
        union all
        select e.budget_id, e.scope, e.spent, 0
        from lockstep.budget_entries e
        where e.budget_id = b.id and e.period_began = p.began
        union all
        select r.budget_id, r.scope, r.spent, greatest(r.amount - r.spent, 0)
        from lockstep.budget_reservations r
        where r.budget_id = b.id and r.period_began = p.began
        union all
        -- a scope whose jobs all wait may have spent nothing yet
        select s.budget_id, s.scope, 0, 0
        from lockstep.budget_scopes s
        where s.budget_id = b.id
      ) h
      group by h.budget_id, h.scope
    ),
    ranked as (
      select h.*, l.scope_limit,
        row_number() over (
          partition by h.budget_id
          -- a limit of 0 is always reached
          order by (h.spent + h.reserved) / nullif(l.scope_limit, 0) desc nulls first, h.scope
        ) as place
      from held h
      join lockstep.budgets b on b.id = h.budget_id
      left join lockstep.budget_limits o on o.budget_id = h.budget_id and o.scope = h.scope
      cross join lateral (select coalesce(o.set_limit, b.set_limit, b.defined_limit) as scope_limit) l
    )
    select
      b.name, coalesce(sum(r.spent), 0), coalesce(sum(r.reserved), 0), count(r.scope)::integer,
      coalesce(
        jsonb_agg(
          jsonb_build_object(
            'scope', r.scope, 'limit', r.scope_limit, 'spent', r.spent, 'reserved', r.reserved,
            'waiting', (
              select count(*)
              from (select from lockstep.budget_waits w where w.budget_id = r.budget_id and w.scope = r.scope limit 10000) w
            )
          )
          order by r.place
        ) filter (where r.place <= p_scopes),
        '[]'
      )
    from lockstep.budgets b
    left join ranked r on r.budget_id = b.id
    group by b.id
    order by b.name;
end;
$$;
