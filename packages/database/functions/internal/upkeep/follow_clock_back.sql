-- Called when PostgreSQL's clock was set back. Spans that were about to end would last until the clock has caught up, so they begin again
-- now: leases (live workers renew theirs, dead ones are swept one lease from now), the five seconds of claimed ranges, delays before the
-- next attempt, the grace period of cancels, dedup keys that are taken for a time, and the minute before a schedule with a problem is tried
-- again. Budgets are looked at, since their period is another one now. Times that people gave stay as they are, and so do ticks. Rates and breakers handle it at their gate. Jobs, keys and schedules
-- that others have locked stay as they are, and so do jobs and keys beyond 10,000 of a kind, since the sweep must come to an end.
create or replace function lockstep.follow_clock_back(p_now timestamptz)
returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_ahead constant timestamptz := p_now + interval '10 seconds';
  v_called_at constant timestamptz := clock_timestamp();
begin
  -- With the time that has passed since the call began, so that no lease is shorter than its full length.
  update lockstep.workers w
  set heartbeat_at = p_now + (clock_timestamp() - v_called_at),
      lease_until = p_now + (clock_timestamp() - v_called_at) + w.lease
  where w.lost_at is null and w.heartbeat_at > v_ahead;

  update lockstep.claimed_ranges r set claimed_at = p_now where r.claimed_at > v_ahead;

  update lockstep.jobs j
  set cancel_requested_at = p_now
  where j.id = any (array(
    select c.id from lockstep.jobs c where c.cancel_requested_at > v_ahead order by c.id limit 10000 for update skip locked
  ));

  with waiting as materialized (
    select j.id, p_now + (j.scheduled_for - j.history[cardinality(j.history)].ended_at) as scheduled_for
    from lockstep.stages s
    cross join lateral (
      select *
      from lockstep.jobs w
      where w.stage_id = s.id and w.position is null and w.scheduled_for > v_ahead
        and w.scheduled_for < lockstep.never() and w.history[cardinality(w.history)].ended_at > v_ahead
    ) j
    order by j.id
    limit 10000
  ),
  locked as materialized (
    select w.*
    from waiting w
    cross join lateral (
      select from lockstep.jobs j
      where j.id = w.id and j.position is null
      for update skip locked
    ) j
  )
  update lockstep.jobs j set scheduled_for = l.scheduled_for from locked l where j.id = l.id;

  update lockstep.recent_keys k
  set added_at = p_now, expires_at = p_now + (k.expires_at - k.added_at)
  where k.ctid = any (array(
    select r.ctid from lockstep.recent_keys r
    where r.added_at > v_ahead and r.expires_at > p_now
    limit 10000
    for update skip locked
  ));

  update lockstep.budget_scopes s set look_at = p_now where s.look_at > v_ahead and s.look_at < lockstep.never();

  update lockstep.schedules s
  set look_at = p_now
  where s.name = any (array(
    select c.name from lockstep.schedules c
    where c.problem is not null and c.look_at > p_now + interval '2 minutes'
    for update skip locked
  ));
end;
$$;
