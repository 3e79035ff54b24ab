-- Renews a worker's lease and tells it which of its jobs are to be cancelled.
-- A worker that was swept is told so and never revived. A worker that lost the reply to a claim asks with
-- p_in_doubt what it holds: claims older than any reply still under way. Told along the way: whether the fleet's upkeep has
-- not been done for longer than p_upkeep_after, so that it gets done though those whose turn it was have died.
create or replace function lockstep.heartbeat(
  p_worker_id uuid,
  p_report jsonb default null,
  p_in_doubt boolean default false,
  p_upkeep_after interval default '5 seconds',
  p_now timestamptz default clock_timestamp()
)
returns table (alive boolean, lease_until timestamptz, cancel uuid[], held jsonb, is_upkeep_due boolean)
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  v_lease_until timestamptz;
begin
  update lockstep.workers w
  set heartbeat_at = p_now,
      lease_until = p_now + w.lease,
      report = coalesce(p_report, w.report)
  where w.id = p_worker_id and w.lost_at is null
  returning w.lease_until into v_lease_until;
  if found then
    perform lockstep.list_as_held(p_worker_id, p_now);
  end if;

  return query select
    v_lease_until is not null,
    v_lease_until,
    array(
      select j.id from lockstep.jobs j
      where j.cancel_requested_at is not null and j.worker_id = p_worker_id
    ),
    case when p_in_doubt then (
      select jsonb_agg(jsonb_build_object('id', j.id, 'token', j.claim_token))
      from lockstep.held_jobs(p_worker_id) j
      where j.claimed_at < p_now - interval '20 seconds'
    ) end,
    exists (select from lockstep.upkeep u where u.task = 'sweep' and u.done_at <= p_now - p_upkeep_after);
end;
$$;
