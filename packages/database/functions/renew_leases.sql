-- Renews the leases of some workers, in one statement for all of them, and tells each which of its jobs are to be cancelled.
-- A worker that was swept is told so and never revived. A worker that lost the reply to a claim asks with
-- p_in_doubt what it holds: claims older than any reply still under way. Told along the way: whether the fleet's upkeep has
-- not been done for longer than p_upkeep_after, so that it gets done though those whose turn it was have died.
-- One row for each worker, in the order given; p_reports and p_in_doubt go by the same order.
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
language plpgsql    -- planned once for a connection, and mostly called by ones that do nothing else
security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
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
      exists (select from lockstep.upkeep u where u.task = 'sweep' and u.done_at <= p_now - p_upkeep_after)
    from unnest(p_worker_ids, p_in_doubt) with ordinality as g (id, in_doubt, number)
    left join unnest(v_renewed_ids, v_leases) as r (id, lease_until) on r.id = g.id
    order by g.number;
end;
$$;
