-- refill_budgets for all budgets where there is something to do. Part of every sweep: claims do it for the budgets of their stages, but
-- there may be none for a while. Also takes back what was granted to jobs that are no longer pending.
create or replace function lockstep.refill_due_budgets(p_now timestamptz)
returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_ids integer[];
begin
  perform lockstep.leave_budgets(g.ids)
  from (
    select array_agg(g.job_id) as ids
    from (
      select r.job_id
      from lockstep.budget_reservations r
      where r.is_granted
        and not exists (select from lockstep.jobs j where j.id = r.job_id and j.status = 'pending')
      limit 1000
      for update skip locked
    ) g
  ) g
  where g.ids is not null;

  v_ids := array(
    select b.id
    from lockstep.budgets b
    where exists (select from lockstep.budget_scopes s where s.budget_id = b.id and s.look_at <= p_now)
      or exists (select from lockstep.budget_entries e where e.budget_id = b.id)
  );
  if cardinality(v_ids) > 0 then
    perform lockstep.refill_budgets(v_ids, lockstep.lock_budgets(v_ids), p_now);
  end if;
end;
$$;
