-- Retention: deletes the usage of budgets in periods that ended longer than p_keep ago, at most once per interval for the whole fleet, up to
-- 5,000 rows per call. Returns how many; 5,000 means that there may be more.
create or replace function lockstep.delete_budget_usage(
  p_keep interval default '90 days',
  p_interval interval default '0',
  p_now timestamptz default clock_timestamp()
)
returns integer
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_deleted integer;
begin
  if not lockstep.take_upkeep('budget_usage', p_interval, p_now) then
    return 0;
  end if;
  delete from lockstep.budget_usage u
  where u.ctid = any (array(
    select o.ctid
    from lockstep.budgets b
    cross join lateral (
      select o.ctid
      from lockstep.budget_usage o
      -- of a budget whose period never ends, this is before 1970
      where o.budget_id = b.id
        and o.period_began < p_now - p_keep - make_interval(secs => coalesce(b.every_ms, 157680000000000) / 1000.0)
      order by o.period_began
      limit 5000
    ) o
    limit 5000
  ));
  get diagnostics v_deleted = row_count;
  return v_deleted;
end;
$$;
