-- Renews the leases of several workers in one statement, and tells each which of its jobs are to be cancelled.
-- A worker that was swept gets alive = false and is never revived. A worker that lost the reply to a claim asks with p_in_doubt what it
-- holds; it gets claims that are older than any reply still under way. is_upkeep_due says whether upkeep was not done for longer than
-- p_upkeep_after, so that it is done even if the workers whose turn it was have died.
-- Returns a row for each worker, in the order given; p_reports and p_in_doubt are in the same order.
create or replace function lockstep.renew_leases(
  p_worker_ids uuid[],
  p_reports jsonb[] default '{}',
  p_in_doubt boolean[] default '{}',
  p_upkeep_after interval default '5 seconds',
  p_now timestamptz default clock_timestamp()
)
returns table (
  worker_id uuid,
  alive boolean,
  lease_until timestamptz,
  cancel uuid[],
  held jsonb,
  is_upkeep_due boolean
)
language plpgsql    -- planned once per connection; most callers use their connection for nothing else
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_renewed_ids uuid[];
  v_leases timestamptz[];
begin
  with renewed as (
    update lockstep.workers w
    set heartbeat_at = p_now,
        lease_until = p_now + w.lease,
        report = coalesce(g.report, w.report)
    from unnest(p_worker_ids, p_reports) as g (id, report)
    where w.id = g.id and w.lost_at is null
    returning w.id, w.lease_until
  )
  select array_agg(r.id), array_agg(r.lease_until) into v_renewed_ids, v_leases from renewed r;

  perform lockstep.list_as_held(v_renewed_ids, p_now);

  return query
    select
      g.id,
      r.lease_until is not null,
      r.lease_until,
      array(
        select j.id from lockstep.jobs j
        where j.cancel_requested_at is not null and j.worker_id = g.id
      ),
      case when g.in_doubt then (
        select jsonb_agg(jsonb_build_object('id', j.id, 'token', j.claim_token))
        from lockstep.held_jobs(g.id) j
        where j.claimed_at < p_now - interval '20 seconds'
      ) end,
      exists (select from lockstep.upkeep u where u.task = 'sweep' and lockstep.is_upkeep_due(u.done_at, p_upkeep_after, p_now))
    from unnest(p_worker_ids, p_in_doubt) with ordinality as g (id, in_doubt, number)
    left join unnest(v_renewed_ids, v_leases) as r (id, lease_until) on r.id = g.id
    order by g.number;
end;
$$;
