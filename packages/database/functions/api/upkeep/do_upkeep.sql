-- What every worker does now and then for the whole fleet: it sweeps if that is due (p_sweep_interval after the last time), and learns what
-- else is due and how many workers there are, so that it need not come more often than its share.
--   has_swept  whether this call swept
--   workers    how many are alive
--   are_waits_due  the call swept, and a wait has been due for a while that no worker has ended: end_due_waits does
--   sleepers   how many of them sleep for every stage that this worker serves, so that a wake-up for its jobs may reach them
create or replace function lockstep.do_upkeep(
  p_worker_id uuid,
  p_sweep_interval interval default '5 seconds',
  p_cancel_grace interval default '30 seconds',
  p_fold_interval interval default '15 seconds',
  p_retention_interval interval default '1 hour',
  p_now timestamptz default clock_timestamp()
)
returns table (
  has_swept boolean,
  lost_workers integer,
  lost_jobs integer,
  failed_jobs integer,
  cancelled_jobs integer,
  expired_jobs integer,
  is_fold_due boolean,
  is_retention_due boolean,
  workers integer,
  sleepers integer,
  are_waits_due boolean
)
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  lost_workers := 0; lost_jobs := 0; failed_jobs := 0; cancelled_jobs := 0; expired_jobs := 0;
  select
    coalesce(bool_or(u.task = 'fold' and lockstep.is_upkeep_due(u.done_at, p_fold_interval, p_now)), false),
    coalesce(bool_or(u.task = 'retention' and lockstep.is_upkeep_due(u.done_at, p_retention_interval, p_now)), false)
  into is_fold_due, is_retention_due
  from lockstep.upkeep u;

  has_swept := lockstep.take_upkeep('sweep', p_sweep_interval, p_now);
  if has_swept then
    select s.* into lost_workers, lost_jobs, failed_jobs, cancelled_jobs, expired_jobs
    from lockstep.sweep_lost_workers(p_cancel_grace => p_cancel_grace, p_now => p_now) s;
  end if;
  -- Ended by another call: this transaction may have locked batches, which are locked only once.
  are_waits_due := has_swept and exists (
    select
    from lockstep.stages s
    cross join lateral (
      select j.id
      from lockstep.jobs j
      where j.stage_id = s.id and j.position is null and j.scheduled_for < p_now - interval '1 second'
      order by j.scheduled_for, j.id
      limit 1
    ) d
    where s.kind in ('wait', 'sleep') and s.paused_at is null
  );

  select count(*), count(*) filter (where w.waiting_stage_ids @> me.stage_ids)
  into workers, sleepers
  from lockstep.workers me
  join lockstep.workers w on w.lost_at is null and w.lease_until > p_now
  where me.id = p_worker_id;
  return next;
end;
$$;
