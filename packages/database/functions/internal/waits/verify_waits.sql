-- The invariants of waits, as rows of verify. p_due_before is when a wait must have been due to be late now.
create or replace function lockstep.verify_waits(p_due_before timestamptz, p_now timestamptz)
returns table (invariant text, job_id uuid, violation text)
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  select 'V23', j.id, format('is %s in stage %s, which no worker runs', j.status, s.name)
  from lockstep.jobs j
  join lockstep.stages s on s.id = j.stage_id
  where s.kind in ('wait', 'sleep') and j.status <> 'scheduled'
  union all
  select 'V23', j.id, format('waits in stage %s, although its signal came at %s', s.name, g.sent_at)
  from lockstep.jobs j
  join lockstep.stages s on s.id = j.stage_id and s.kind = 'wait'
  join lockstep.signals g on g.job_id = j.id and g.name = s.name and g.job_added_at = j.added_at
  where j.scheduled_for > p_now
  union all
  select 'V23', j.id, format('has not passed stage %s, but has taken its signal', s.name)
  from lockstep.jobs j
  join lockstep.signals g on g.job_id = j.id and g.job_added_at = j.added_at and g.taken_at is not null
  join lockstep.stages s on s.pipeline_id = j.pipeline_id and s.name = g.name
  where s.ordinal > (select h.ordinal from lockstep.stages h where h.id = j.stage_id)
  union all
  select 'V24', j.id, format('was to leave stage %s at %s, and is still there', s.name, j.scheduled_for)
  from lockstep.jobs j
  join lockstep.stages s on s.id = j.stage_id
  where s.kind in ('wait', 'sleep') and s.paused_at is null and j.scheduled_for < p_due_before
    -- a worker was there to end it
    and exists (
      select from lockstep.workers w
      where w.lost_at is null and w.lease_until > p_now and w.started_at < p_due_before
    )
  union all
  select 'V25', k.job_id, format('has signal key "%s", but is of another pipeline', k.key)
  from lockstep.signal_keys k
  join lockstep.jobs j on j.id = k.job_id and j.added_at = k.job_added_at
  where j.pipeline_id <> k.pipeline_id;
$$;
