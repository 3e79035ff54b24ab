-- Adds to what a running attempt has spent of a budget; p_reported is the total that it has reported so far (spend_budgets), of which only
-- what is new counts. The caller has locked the job and checked the claim. A job in a stage that does not say that it spends is counted
-- from now on, so that whatever ends the attempt settles its reservation.
create or replace function lockstep.add_spent(p_id uuid, p_budget text, p_amount numeric, p_reported numeric, p_now timestamptz)
returns void
language sql
security definer
set search_path = pg_catalog, pg_temp
as $$
  update lockstep.jobs j set counted = true where j.id = p_id and not j.counted;
  insert into lockstep.budget_reservations as r (job_id, budget_id, scope, period_began, amount, spent, reported)
  select j.id, b.id, lockstep.budget_scope(b.per, j.pipeline_id, j.owner, j.group_key), lockstep.budget_period(b.every_ms, p_now),
    0, coalesce(p_amount, p_reported), coalesce(p_reported, 0)
  from lockstep.jobs j
  join lockstep.budgets b on b.name = p_budget
  where j.id = p_id
  on conflict (job_id, budget_id) do update
  set spent = r.spent + coalesce(p_amount, greatest(p_reported - r.reported, 0)),
      reported = greatest(r.reported, excluded.reported);
$$;
