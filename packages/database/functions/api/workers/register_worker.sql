-- Registers a worker and starts its lease. Every start of a process needs a new id: an id that was declared lost is never valid again.
create or replace function lockstep.register_worker(
  p_worker_id uuid,
  p_name text,
  p_lease interval default '30 seconds',
  p_stages text[] default '{}',
  p_host text default null,
  p_pid integer default null,
  p_version text default null,
  p_now timestamptz default clock_timestamp()
)
returns timestamptz
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_lease_until timestamptz;
begin
  insert into lockstep.workers as w (
    id, name, host, pid, version, started_at, heartbeat_at, lease, lease_until, claim_epoch, stage_ids
  )
  values (
    p_worker_id, p_name, p_host, p_pid, p_version, p_now, p_now, p_lease, p_now + p_lease,
    (select e.id from lockstep.claim_epoch e),
    array(
      select lockstep.require_stage(split_part(stage, '/', 1), split_part(stage, '/', 2))
      from unnest(p_stages) stage
    )
  )
  -- the reply to the first call may have been lost
  on conflict (id) do update
  set heartbeat_at = p_now, lease_until = p_now + p_lease
  where w.lost_at is null
  returning w.lease_until into v_lease_until;

  if v_lease_until is null then
    raise exception 'Worker % was declared lost.', p_worker_id
      using errcode = 'LS004', hint = 'Register again under a new id.';
  end if;
  return v_lease_until;
end;
$$;
