-- Counts jobs that joined a batch, ended in it, or were retried by a person: one update per call and batch, in the transaction of the
-- moves. The call that counts the last end finishes the batch.
-- Locks are taken in this order: jobs by id, batches from the newest id to the oldest, the jobs that wait for these batches, gates.
-- A batch that a waiting job is part of is older than the batch that it waits for.
create or replace function lockstep.count_batch_moves(p_moves lockstep.job_move[], p_now timestamptz)
returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_moved record;
  v_batch lockstep.batches;
begin
  for v_moved in
    select
      m.batch_id,
      count(*) filter (where m.moved_from = '' and m.moved_to in ('scheduled', 'pending')) as added,
      count(*) filter (where m.moved_from in ('failed', 'cancelled')) as retried,
      count(*) filter (where m.moved_to = 'completed') as completed,
      count(*) filter (where m.moved_to = 'failed') - count(*) filter (where m.moved_from = 'failed') as failed,
      count(*) filter (where m.moved_to = 'cancelled') - count(*) filter (where m.moved_from = 'cancelled') as cancelled,
      (array_agg(m.job_id order by m.job_id) filter (where m.moved_to in ('failed', 'cancelled')))[1] as culprit
    from unnest(p_moves) m
    where m.batch_id is not null
      and (m.moved_to in ('completed', 'failed', 'cancelled') or m.moved_from in ('', 'failed', 'cancelled'))
    group by m.batch_id
    order by m.batch_id desc
  loop
    update lockstep.batches b
    set total = b.total + v_moved.added,
        completed = b.completed + v_moved.completed,
        failed = b.failed + v_moved.failed,
        cancelled = b.cancelled + v_moved.cancelled,
        finished_at = case when v_moved.retried = 0 then b.finished_at end
    where b.id = v_moved.batch_id
    returning b.* into v_batch;

    if v_moved.added > 0 and v_batch.id is null then
      raise exception 'There is no batch %.', v_moved.batch_id
        using errcode = 'LS001', hint = 'Open it with open_batch first; the same transaction will do.';
    elsif v_moved.added > 0 and v_batch.closed_at is not null then
      raise exception 'Batch % is closed, so no job can join it.', v_moved.batch_id
        using errcode = 'LS003', hint = 'Keep a batch open until all its jobs are added.';
    end if;
    -- The batch is open, or gone: a job may be retried after retention has deleted its batch.
    continue when v_batch.closed_at is null;
    perform lockstep.end_batch(v_batch, v_moved.culprit, p_now);
  end loop;
end;
$$;
