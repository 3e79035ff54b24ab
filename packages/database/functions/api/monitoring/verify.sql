-- The invariants: a row for each violation, none if all hold. Only reads, in one snapshot. How long something may take depends on the
-- settings that the workers report, or on the defaults if none does.
create or replace function lockstep.verify(p_now timestamptz default clock_timestamp())
returns table (invariant text, job_id uuid, violation text)
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  with fleet as (
    select
      -- two sweeps, and a third one that may be under way
      3 * coalesce(max(lockstep.told_span(w.report, 'sweepIntervalMs', '5 seconds')), '5 seconds') as sweeps,
      coalesce(max(lockstep.told_span(w.report, 'cancelGraceMs', '30 seconds')), '30 seconds') as cancel_grace
    from lockstep.workers w
    where w.lost_at is null
  )
  select 'V2', j.id, 'is both live and finished'
  from lockstep.jobs j
  where exists (select from lockstep.finished_jobs f where f.pipeline_id = j.pipeline_id and f.id = j.id)
  union all
  select 'V5', j.id, format('is held by worker %s, whose lease ended more than two sweeps ago', j.worker_id)
  from lockstep.jobs j
  cross join fleet f
  left join lockstep.workers w on w.id = j.worker_id
  where j.status = 'processing'
    and (w.id is null or least(w.lost_at, w.lease_until) < p_now - f.sweeps)
  union all
  select 'V6', j.id, format('has been processing since %s, longer than its stage may take', j.claimed_at)
  from lockstep.jobs j
  join lockstep.stages s on s.id = j.stage_id
  join lockstep.workers w on w.id = j.worker_id
  cross join fleet f
  where j.status = 'processing'
    and (
      j.claimed_at + make_interval(secs => s.timeout_ms / 1000.0) + w.lease
        + lockstep.told_span(w.report, 'stopGraceMs', '5 seconds') + interval '5 seconds' < p_now
      or j.cancel_requested_at < p_now - f.cancel_grace - f.sweeps
    )
  union all
  select 'V7', j.id, format('was due at %s, and a free live worker serves its stage', j.scheduled_for)
  from lockstep.jobs j
  join lockstep.stages s on s.id = j.stage_id
  where j.status in ('scheduled', 'retrying')
    and j.scheduled_for < p_now - interval '5 seconds'
    and s.paused_at is null
    and exists (
      select from lockstep.workers w
      where w.lost_at is null and w.lease_until > p_now and j.stage_id = any (w.waiting_stage_ids)
        -- a worker polls that often even if nothing wakes it
        and j.scheduled_for < p_now - lockstep.told_span(w.report, 'pollIntervalMs', '2 seconds') - interval '3 seconds'
    )
  union all
  select 'V8', j.id, format('was claimed at %s, while an earlier claim held it until %s', h.claimed_at, h.held_until)
  from lockstep.jobs j
  cross join lateral (
    select c.claimed_at, lag(c.ended_at) over (order by c.number) as held_until
    from (
      select h.claimed_at, h.ended_at, h.ordinality as number
      from unnest(j.history) with ordinality h
      where h.claimed_at is not null
      union all
      select j.claimed_at, null, 1000
    ) c
  ) h
  -- A call takes the time when it begins. If it then waits for a lock, at most 10 s, it writes a time earlier than that of its act.
  where j.history is not null and h.claimed_at < h.held_until - interval '15 seconds'
  union all
  select 'V9', j.id, 'has a claim token that one of its ended attempts already had'
  from lockstep.jobs j
  where j.claim_token is not null
    and exists (select from unnest(j.history) h where h.claim_token = j.claim_token)
  union all
  select 'V10', j.id, format('has an output of stage %s, which it has not passed', o.key)
  from lockstep.jobs j
  join lockstep.stages here on here.id = j.stage_id
  cross join lateral jsonb_object_keys(j.outputs) as o (key)
  join lockstep.stages s on s.pipeline_id = j.pipeline_id and s.name = o.key
  where s.ordinal >= here.ordinal
  union all
  select 'V11', j.id, format('has %s attempts and %s losses, more than its stage allows', j.attempt, j.losses)
  from lockstep.jobs j
  join lockstep.stages s on s.id = j.stage_id
  where j.attempt > s.max_attempts or j.attempt < 0 or j.losses >= s.max_losses
  union all
  select 'V12', t.ids[2], format('has the dedup key of job %s, which is live too', t.ids[1])
  from (
    select array_agg(j.id order by j.id) as ids
    from lockstep.jobs j
    where j.dedup_key is not null
    group by j.pipeline_id, coalesce(j.owner, ''), j.dedup_key
    having count(*) > 1
  ) t
  union all
  select 'V15', j.id, format('has effect "%s", begun under a claim that it never had', e.key)
  from lockstep.jobs j
  join lockstep.effects e on e.job_id = j.id and e.job_added_at = j.added_at
  where e.claim_token is distinct from j.claim_token
    and coalesce(cardinality(j.history), 0) < 100    -- with more, the oldest attempts are no longer known
    and not exists (select from unnest(j.history) h where h.claim_token = e.claim_token)
  union all
  select 'V16', j.id, case when j.counted then 'is counted by the limits of its stage, but does not run'
    else 'runs in a stage with limits, but is not counted by them' end
  from lockstep.jobs j
  join lockstep.stages s on s.id = j.stage_id
  where case when j.status = 'processing' then s.is_gated and not j.counted else j.counted end
  union all
  select 'V18', j.id, format('had to start by %s and still waits, more than two sweeps later', j.start_by)
  from lockstep.jobs j
  cross join fleet f
  where j.start_by < p_now - f.sweeps
    and j.status <> 'processing'
    -- a worker was there to sweep
    and exists (
      select from lockstep.workers w
      where w.lost_at is null and w.lease_until > p_now and w.started_at < p_now - f.sweeps
    )
  union all
  select 'V17', null, format('%s/%s: the counters say %s jobs are %s, the rows say %s', q.pipeline, q.stage, q.jobs, q.status, coalesce(r.jobs, 0))
  from lockstep.queue_stats() q
  left join (
    select p.name as pipeline, s.name as stage, j.status, count(*) as jobs
    from lockstep.jobs j
    join lockstep.stages s on s.id = j.stage_id
    join lockstep.pipelines p on p.id = j.pipeline_id
    group by p.name, s.name, j.status
  ) r on r.pipeline = q.pipeline and r.stage = q.stage and r.status = q.status
  where q.status in ('scheduled', 'pending', 'processing', 'retrying')
    and q.jobs <> coalesce(r.jobs, 0)
  union all
  select 'V22', j.id, format('is held by worker %s, but no sweep would find it', j.worker_id)
  from lockstep.jobs j
  where j.status = 'processing'
    and j.held_by is null
    and not exists (
      select from lockstep.claimed_ranges r
      where r.worker_id = j.worker_id and r.claim_token = j.claim_token
        and r.stage_id = j.stage_id and r.priority = j.priority and j.position between r.first_position and r.last_position
    )
  union all
  select 'V21', j.id, format('is %s, but no query for such jobs would find it', j.status)
  from lockstep.jobs j
  where j.priority not between 1 and 20
    or (j.status in ('scheduled', 'retrying') and j.scheduled_for is null and j.waits_for is null)
    or (j.position is null) <> (j.status in ('scheduled', 'retrying'))
    or (j.held_by is not null and j.held_by is distinct from j.worker_id)
  union all
  select v.invariant, v.job_id, v.violation from lockstep.verify_batches() v
  union all
  select v.invariant, v.job_id, v.violation from lockstep.verify_waits(p_now - (select 2 * f.sweeps from fleet f), p_now) v
  union all
  select v.invariant, v.job_id, v.violation from lockstep.verify_budgets() v;
$$;
