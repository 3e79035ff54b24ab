-- Lets pending jobs wait until a budget has room: out of the line, so that no claim looks at them. The caller has locked the jobs and the
-- budgets.
create or replace function lockstep.park_jobs(
  p_ids uuid[],
  p_budget_ids integer[],      -- for each the budget that had no room
  p_scopes text[],
  p_are_too_large boolean[],
  p_amounts jsonb[],           -- what the code of their stages has estimated; null: nothing yet
  p_now timestamptz
)
returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  -- what some of them were granted of other budgets
  perform lockstep.leave_budgets(p_ids);
  insert into lockstep.budget_waits (job_id, budget_id, scope, priority, is_too_large, amounts, scheduled_for, since)
  select w.id, w.budget_id, w.scope, j.priority, w.is_too_large, w.amounts, j.scheduled_for, p_now
  from unnest(p_ids, p_budget_ids, p_scopes, p_are_too_large, p_amounts) with ordinality as w (id, budget_id, scope, is_too_large, amounts, number)
  join lockstep.jobs j on j.id = w.id
  order by w.number;
  insert into lockstep.budget_scopes (budget_id, scope, look_at)
  select distinct w.budget_id, w.scope,
    lockstep.budget_turn(b.every_ms, p_now)
  from unnest(p_budget_ids, p_scopes) as w (budget_id, scope)
  join lockstep.budgets b on b.id = w.budget_id
  on conflict (budget_id, scope) do nothing;

  with parked as (
    update lockstep.jobs j
    set status = 'scheduled', position = null, scheduled_for = lockstep.never()
    where j.id = any (p_ids)
    returning j.stage_id
  )
  insert into lockstep.stage_moves (at, stage_id, moved_from, moved_to, jobs)
  select p_now, p.stage_id, 'pending', 'scheduled', count(*)
  from parked p
  group by p.stage_id;
end;
$$;
