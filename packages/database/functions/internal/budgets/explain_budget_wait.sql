-- The row of explain_job for a job that waits until a budget has room.
create or replace function lockstep.explain_budget_wait(p_id uuid, p_now timestamptz)
returns table (reason text, explanation text, detail jsonb)
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  select 'budget',
    case when w.is_too_large then format(
        'It would spend %s of budget %s%s, which is more than the whole limit of %s, so it waits until that is raised (set_budget_limit).',
        n.told_amount, b.name, n.told_scope, n.told_limit
      )
      else format(
        'Budget %s%s has no room for it: of %s, %s are spent and %s reserved by %s; it needs %s. It goes on %s.',
        b.name, n.told_scope, n.told_limit, trim_scale(s.spent), trim_scale(s.reserved),
        case s.running when 1 then 'one job' else s.running || ' jobs' end,
        case when n.amount > 0 then n.told_amount else 'some' end,
        case
          when b.every_ms is null then 'when something is given back, or the limit is raised (set_budget_limit)'
          else format(
            'when something is given back or the limit is raised (set_budget_limit), at the latest in the period that begins at %s (%s s from now)',
            to_char(p.turns_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"'), ceil(date_part('epoch', p.turns_at - p_now))
          )
        end
      )
    end || case when a.ahead > 0 then format(' Jobs that wait before it: %s.', case when a.ahead > 10000 then 'more than 10,000' else a.ahead::text end)
      else '' end,
    jsonb_build_object(
      'budget', b.name,
      'scope', w.scope,
      'unit', b.unit,
      'limit', s.scope_limit,
      'spent', s.spent,
      'reserved', s.reserved,
      'estimate', n.amount,
      'isTooLarge', w.is_too_large,
      'reservedBy', (
        select coalesce(jsonb_agg(jsonb_build_object('jobId', r.job_id, 'amount', greatest(r.amount, r.spent)) order by r.job_id), '[]')
        from (
          select r.job_id, r.amount, r.spent
          from lockstep.budget_reservations r
          where r.budget_id = b.id and r.scope = w.scope and r.period_began = p.began
          order by r.job_id
          limit 5
        ) r
      ),
      'running', s.running,
      'ahead', least(a.ahead, 10000),
      'turnsAt', p.turns_at
    )
  from lockstep.budget_waits w
  join lockstep.jobs j on j.id = w.job_id
  join lockstep.budgets b on b.id = w.budget_id
  cross join lateral (
    select lockstep.budget_period(b.every_ms, p_now) as began,
      nullif(lockstep.budget_turn(b.every_ms, p_now), lockstep.never()) as turns_at
  ) p
  cross join lateral lockstep.budget_state(b.id, w.scope, p.began) s
  cross join lateral (
    select
      coalesce(max(n.amount), 0) as amount,
      trim_scale(coalesce(max(n.amount), 0)) || coalesce(' ' || b.unit, '') as told_amount,
      trim_scale(s.scope_limit) || coalesce(' ' || b.unit, '') as told_limit,
      case b.per when 'total' then '' else format(' of %s "%s"', b.per, w.scope) end as told_scope
    from lockstep.budget_needs(j.stage_id, j.owner, j.group_key, w.amounts) n
    where n.budget_id = b.id
  ) n
  cross join lateral (
    select count(*)::integer as ahead
    from (
      select from lockstep.budget_waits o
      where o.budget_id = w.budget_id and o.scope = w.scope and not o.is_too_large and (o.priority, o.number) < (w.priority, w.number)
      limit 10001
    ) o
  ) a
  where w.job_id = p_id;
$$;
