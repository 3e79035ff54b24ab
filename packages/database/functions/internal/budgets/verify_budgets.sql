-- The invariants of budgets, as rows of verify.
create or replace function lockstep.verify_budgets()
returns table (invariant text, job_id uuid, violation text)
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  select 'V26', r.job_id,
    case
      when j.id is null then format('has reserved %s of budget %s, but is not live', r.amount, b.name)
      when r.is_granted then format('was granted %s of budget %s, but is %s', r.amount, b.name, j.status)
      else format('has reserved %s of budget %s, but is %s and not counted', r.amount, b.name, j.status)
    end
  from lockstep.budget_reservations r
  left join lockstep.budgets b on b.id = r.budget_id
  left join lockstep.jobs j on j.id = r.job_id
  where case
    -- a job that a person has changed gives it back with the next sweep
    when r.is_granted then j.id is null
    else (j.status = 'processing' and j.counted) is not true
  end
  union all
  select 'V27', j.id, 'waits for a budget, but none would let it go on'
  from lockstep.jobs j
  join lockstep.stages s on s.id = j.stage_id and s.kind = 'work'
  left join lockstep.budget_waits w on w.job_id = j.id
  left join lockstep.budget_scopes o on o.budget_id = w.budget_id and o.scope = w.scope
  where j.position is null and j.scheduled_for = lockstep.never() and o.budget_id is null
  union all
  select 'V28', null, format('budget %s: %s spent by "%s" in the period of %s', b.name, t.spent, t.scope, t.period_began)
  from (
    select u.budget_id, u.scope, u.period_began, u.spent from lockstep.budget_usage u where u.spent < 0 or u.attempts < 0
    union all
    select r.budget_id, r.scope, r.period_began, r.spent
    from lockstep.budget_reservations r
    where r.amount < 0 or r.spent < 0 or r.reported < 0 or r.reported > r.spent
  ) t
  join lockstep.budgets b on b.id = t.budget_id;
$$;
