-- count_batch_moves for one batch. Returns the moves of jobs that ended with it, for their own batches to count.
create or replace function lockstep.count_moves_of_batch(p_batch_id uuid, p_moves lockstep.job_move[], p_now timestamptz)
returns lockstep.job_move[]
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_moved record;
  v_batch lockstep.batches;
begin
  select
    count(*) filter (where m.moved_from = '' and m.moved_to in ('scheduled', 'pending')) as added,
    count(*) filter (where m.moved_from in ('failed', 'cancelled')) as retried,
    count(*) filter (where m.moved_to = 'completed') as completed,
    count(*) filter (where m.moved_to = 'failed') - count(*) filter (where m.moved_from = 'failed') as failed,
    count(*) filter (where m.moved_to = 'cancelled') - count(*) filter (where m.moved_from = 'cancelled') as cancelled,
    array_agg(m.job_id order by m.job_id) filter (where m.moved_to in ('failed', 'cancelled')) as culprits
  into v_moved
  from unnest(p_moves) m;

  update lockstep.batches b
  set total = b.total + v_moved.added,
      completed = b.completed + v_moved.completed,
      failed = b.failed + v_moved.failed,
      cancelled = b.cancelled + v_moved.cancelled,
      finished_at = case when v_moved.retried = 0 then b.finished_at end
  where b.id = p_batch_id
  returning b.* into v_batch;

  if v_moved.added > 0 and v_batch.id is null then
    raise exception 'There is no batch %.', p_batch_id
      using errcode = 'LS001', hint = 'Open it with open_batch first; the same transaction will do.';
  elsif v_moved.added > 0 and v_batch.closed_at is not null then
    raise exception 'Batch % is closed, so no job can join it.', p_batch_id
      using errcode = 'LS003', hint = 'Keep a batch open until all its jobs are added.';
  end if;
  -- The batch is open, or gone: a job may be retried after retention has deleted its batch.
  if v_batch.closed_at is null then
    return null;
  end if;
  return lockstep.end_batch(v_batch, v_moved.culprits, p_now);
end;
$$;
