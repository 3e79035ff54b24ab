-- Renews the lease of one worker; see renew_leases.
create or replace function lockstep.heartbeat(
  p_worker_id uuid,
  p_report jsonb default null,
  p_in_doubt boolean default false,
  p_upkeep_after interval default '5 seconds',
  p_now timestamptz default clock_timestamp()
)
returns table (alive boolean, lease_until timestamptz, cancel uuid[], held jsonb, is_upkeep_due boolean)
language sql
security definer
set search_path = pg_catalog, pg_temp
as $$
  select r.alive, r.lease_until, r.cancel, r.held, r.is_upkeep_due
  from lockstep.renew_leases(array[p_worker_id], array[p_report], array[p_in_doubt], p_upkeep_after, p_now) r;
$$;
