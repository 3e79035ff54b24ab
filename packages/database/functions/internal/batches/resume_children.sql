-- Runs the children of a batch again that did not complete, for a parent that waits for it again. Those that still run go on, although they
-- were asked to stop: their attempts do not count. The caller has locked the batch (lock_batch_to_resume).
create or replace function lockstep.resume_children(p_batch_id uuid, p_now timestamptz)
returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_child_id uuid;
  v_batch lockstep.batches;
begin
  update lockstep.batches b set cancels_jobs = false where b.id = p_batch_id;
  -- Skips those that another transaction is just ending, since that waits for the batch: they end as cancelled.
  update lockstep.jobs j
  set cancel_requested_at = null
  from (
    select j.id from lockstep.jobs j
    where j.batch_id = p_batch_id and j.cancel_requested_at is not null
    order by j.id
    for update skip locked
  ) asked
  where j.id = asked.id;

  for v_child_id in
    select f.id from lockstep.finished_jobs f where f.batch_id = p_batch_id and f.status <> 'completed' order by f.id
  loop
    perform lockstep.retry_job(v_child_id, p_now => p_now);
  end loop;

  select b.* into v_batch from lockstep.batches b where b.id = p_batch_id;
  if v_batch.completed = v_batch.total then
    perform lockstep.count_batch_moves(lockstep.take_results(v_batch, p_now), p_now);
  end if;
end;
$$;
