-- Reserves what jobs need that a claim is about to take, at most p_most of them in the order given, and lets those wait that find no room.
-- Neither does anything about the rest. The caller has locked the jobs and the budgets.
create or replace function lockstep.reserve_for_claim(
  p_ids uuid[],
  p_most integer,
  p_now timestamptz,
  out fitting_ids uuid[],
  out parked integer,      -- how many wait now
  out looked integer       -- how many were looked at
)
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_reserved record;
begin
  select * into v_reserved from lockstep.reserve_in_order(p_ids, null, false, p_most, null, p_now);
  fitting_ids := v_reserved.fitting_ids;
  looked := v_reserved.looked;
  parked := cardinality(v_reserved.lacking_ids);
  if parked > 0 then
    perform lockstep.park_jobs(
      v_reserved.lacking_ids, v_reserved.lacking_budgets, v_reserved.lacking_scopes, v_reserved.are_too_large, null, p_now
    );
  end if;
end;
$$;
