-- Whether live workers have not yet presented their claims since PostgreSQL crashed. Until they have, for up to three seconds, no job is
-- handed out, since it may be theirs.
create or replace function lockstep.are_claims_awaited(p_now timestamptz)
returns boolean
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  return exists (
    select
    from lockstep.workers w
    where w.lost_at is null and w.lease_until > p_now
      and w.claim_epoch is distinct from (select e.id from lockstep.claim_epoch e where e.is_current)
  );
end;
$$;
