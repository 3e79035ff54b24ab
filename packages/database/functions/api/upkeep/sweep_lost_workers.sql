-- Takes back the jobs of workers whose lease is over. Each job counts a loss and is pending again, or failed if that was its last loss.
-- Also cancels running jobs that did not stop within p_cancel_grace of their cancel, fails jobs that did not start in time, and lets jobs go
-- on that wait for a budget with room.
-- It starts from the holders of jobs, not from the workers that it finds lost now: if a claim commits after its worker was swept, the next
-- sweep finds it.
create or replace function lockstep.sweep_lost_workers(
  p_interval interval default '0',
  p_cancel_grace interval default '30 seconds',
  p_now timestamptz default clock_timestamp()
)
returns table (lost_workers integer, lost_jobs integer, failed_jobs integer, cancelled_jobs integer, expired_jobs integer)
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_waiting_stage_ids integer[];
  v_lost_holders uuid[];
  v_ends lockstep.job_end[];
  v_moves lockstep.job_move[];
  v_overdue uuid[];
  v_expired record;
begin
  lost_workers := 0; lost_jobs := 0; failed_jobs := 0; cancelled_jobs := 0; expired_jobs := 0;
  if p_interval > interval '0' and not lockstep.take_upkeep('sweep', p_interval, p_now) then
    return next;
    return;
  end if;

  -- A renewal that commits first wins, since PostgreSQL checks the condition again once the row is locked.
  with lost as (
    update lockstep.workers w
    set lost_at = p_now
    where w.lost_at is null and w.lease_until < p_now
    returning w.waiting_stage_ids
  )
  select count(*), (select array_agg(distinct s.id) from lost l cross join unnest(l.waiting_stage_ids) as s (id))
  into lost_workers, v_waiting_stage_ids
  from lost;

  -- Once a minute; if there was a stray, there may be more, so the next sweep looks again.
  if lockstep.take_upkeep('strays', '1 minute', p_now) and lockstep.list_strays(p_now) > 0 then
    update lockstep.upkeep u set done_at = '-infinity' where u.task = 'strays';
  end if;

  with recursive
  -- the distinct holders, each found by one step in the index
  listed_holders as (
    (select j.held_by as worker_id from lockstep.jobs j where j.held_by is not null order by j.held_by limit 1)
    union all
    select (
      select j.held_by from lockstep.jobs j
      where j.held_by > h.worker_id
      order by j.held_by limit 1
    )
    from listed_holders h
    where h.worker_id is not null
  ),
  lost_holders as materialized (
    select h.worker_id
    from (
      select h.worker_id from listed_holders h where h.worker_id is not null
      union
      select r.worker_id from lockstep.claimed_ranges r
    ) h
    where not exists (
      select from lockstep.workers w
      where w.id = h.worker_id and w.lost_at is null and w.lease_until >= p_now
    )
  ),
  lost as materialized (
    select j.id, j.claim_token
    from lost_holders h
    cross join lateral lockstep.held_jobs(h.worker_id) j
    limit 10000
  ),
  taken as materialized (
    select
      j.id, j.claim_token, j.pipeline_id, j.stage_id,
      j.attempt, j.owner, j.group_key, j.batch_id, j.noted, j.counted,
      case
        when j.cancel_requested_at is not null then 'cancelled'
        -- a job that was not a suspect did not run alone, so another job may be to blame
        when j.losses + 1 >= s.max_losses and (j.suspect or s.max_losses = 1) then 'failed'
        else 'pending'
      end::lockstep.job_status as status,
      least(j.losses + 1, s.max_losses) as losses,
      s.max_losses > 1 and j.losses + 2 >= s.max_losses as suspect,
      jsonb_build_object(
        'name', 'WorkerLostError',
        'message', format(
          'Worker %s was lost while it ran this job in stage %s; that was loss %s.',
          j.worker_id, s.name, least(j.losses + 1, s.max_losses)
        )
      ) as error
    from lost
    cross join lateral (
      select * from lockstep.jobs j
      where j.id = lost.id and j.claim_token = lost.claim_token
      for update skip locked
    ) j
    join lockstep.stages s on s.id = j.stage_id
  ),
  returned as (
    update lockstep.jobs j
    set status = 'pending',
        held_by = null,
        position = nextval('lockstep.job_positions'),
        ready_at = p_now,
        claim_token = null,
        worker_id = null,
        claimed_at = null,
        attempt = j.attempt - 1,
        losses = t.losses,
        suspect = t.suspect,
        counted = false,
        start_by = null,
        log = null,
        history = lockstep.with_ended_attempt(j.history, (
          j.stage_id, j.attempt, 'lost', j.claim_token, j.worker_id, j.claimed_at, p_now,
          lockstep.attempt_detail(null, j.log)
        )::lockstep.ended_attempt)
    from taken t
    where lockstep.is_same_id(j.id, t.id) and j.claim_token = t.claim_token and t.status = 'pending'
  ),
  counted as (
    insert into lockstep.stage_moves (at, stage_id, moved_from, moved_to, run_bucket, jobs, wakes_for)
    select p_now, t.stage_id, 'processing', 'pending', -1, count(*), count(*)    -- -1: otherwise a loss would look like a release
    from taken t
    where t.status = 'pending'
    group by t.stage_id
  )
  select
    count(*) filter (where t.status = 'pending'),
    count(*) filter (where t.status = 'failed'),
    count(*) filter (where t.status = 'cancelled'),
    array_agg((
      t.id, t.claim_token, t.status, 'lost', false, t.losses,
      null, case when t.status = 'failed' then t.error end, null, null, null
    )::lockstep.job_end) filter (where t.status <> 'pending'),
    array_agg((
      t.id, t.pipeline_id, t.stage_id, null, 'processing', 'pending', t.attempt,
      t.owner, t.group_key, t.batch_id, t.counted, t.error
    )::lockstep.job_move) filter (where t.status = 'pending' and (t.noted or t.counted)),
    array(select h.worker_id from lost_holders h)
  into lost_jobs, failed_jobs, cancelled_jobs, v_ends, v_moves, v_lost_holders
  from taken t;
  if v_ends is not null then
    v_moves := v_moves || lockstep.finish_jobs(v_ends, p_now);
  end if;

  select array_agg(j.id) into v_overdue
  from (
    select j.id
    from lockstep.jobs j
    where j.cancel_requested_at < p_now - p_cancel_grace
    order by j.cancel_requested_at    -- an order that only the right index has
    limit 1000
    for update skip locked
  ) j;
  if v_overdue is not null then
    cancelled_jobs := cancelled_jobs + cardinality(v_overdue);
    v_moves := v_moves || lockstep.finish_waiting_jobs(v_overdue, 'cancelled', null, p_now);
  end if;

  select * into v_expired from lockstep.expire_jobs(p_now);
  expired_jobs := v_expired.expired;
  v_moves := v_moves || v_expired.moves;

  -- For all of them at once, since that locks batches in their order.
  perform lockstep.note_moves(v_moves, p_now);
  perform lockstep.cancel_left_batch_jobs(p_now);
  perform lockstep.refill_due_budgets(p_now);
  -- A worker that died asleep may be the only one that was woken for a job.
  perform lockstep.wake_for_waiting_jobs(v_waiting_stage_ids, p_now);

  -- Ranges of lost workers in which no job is left.
  delete from lockstep.claimed_ranges r
  where r.worker_id = any (v_lost_holders)
    and not exists (select from lockstep.jobs_of_range(r));

  -- A lost worker stays on the list for a quarter of an hour, for people to see. What it did is in the attempts of its jobs.
  delete from lockstep.workers w
  where w.lost_at < p_now - interval '15 minutes'
    and not exists (select from lockstep.held_jobs(w.id));
  return next;
end;
$$;
