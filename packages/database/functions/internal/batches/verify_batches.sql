-- The invariants of batches, as rows of verify.
create or replace function lockstep.verify_batches()
returns table (invariant text, job_id uuid, violation text)
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  select 'V19', null::uuid, format(
    'batch %s counts %s jobs that have not ended, but there are %s', b.id, b.total - b.completed - b.failed - b.cancelled, l.jobs
  )
  from lockstep.batches b
  cross join lateral (select count(*) as jobs from lockstep.jobs j where j.batch_id = b.id) l
  where b.finished_at is null and b.total - b.completed - b.failed - b.cancelled <> l.jobs
  union all
  select 'V19', j.id, format('is live, but its batch %s is finished', j.batch_id)
  from lockstep.jobs j
  join lockstep.batches b on b.id = j.batch_id
  where b.finished_at is not null
  union all
  select 'V20', b.waiting_job_id, format('batch %s is closed and all its jobs have ended, but it is not finished', b.id)
  from lockstep.batches b
  where b.closed_at is not null and b.finished_at is null and b.completed + b.failed + b.cancelled = b.total
  union all
  select 'V20', j.id, format('waits for batch %s, which is %s', j.waits_for, case when b.id is null then 'gone' else 'finished' end)
  from lockstep.jobs j
  left join lockstep.batches b on b.id = j.waits_for
  where j.status = 'scheduled' and j.scheduled_for is null and (b.id is null or b.finished_at is not null);
$$;
