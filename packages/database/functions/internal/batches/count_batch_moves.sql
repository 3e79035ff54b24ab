-- Counts jobs that joined a batch, ended in it, or were retried by a person: one update per call and batch, in the transaction of the
-- moves. The call that counts the last end finishes the batch, which may end the job that waits for it, and that job may be part of a
-- batch too.
-- Locks are taken in this order: jobs by id, batches from the newest id to the oldest, the jobs that wait for these batches, gates.
-- A batch that a waiting job is part of is older than the batch that it waits for. So what ends here is counted in its turn, after
-- the newer batches of the call.
create or replace function lockstep.count_batch_moves(p_moves lockstep.job_move[], p_now timestamptz)
returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_moved record;
  v_newer record;
  v_ended lockstep.job_move[];    -- jobs that ended with the batches so far, and are still to be counted
begin
  for v_moved in
    select m.batch_id, array_agg(m::lockstep.job_move) as moves
    from unnest(p_moves) m
    where m.batch_id is not null
      and (m.moved_to in ('completed', 'failed', 'cancelled') or m.moved_from in ('', 'failed', 'cancelled'))
    group by m.batch_id
    union all
    select null, null    -- last, for what is left
    order by 1 desc nulls last
  loop
    while v_ended is not null loop
      select m.batch_id, array_agg(m::lockstep.job_move) as moves into v_newer
      from unnest(v_ended) m
      where m.batch_id > v_moved.batch_id or v_moved.batch_id is null and m.batch_id is not null
      group by m.batch_id
      order by m.batch_id desc
      limit 1;
      exit when not found;
      v_ended := (
        select array_agg(m::lockstep.job_move) from unnest(v_ended) m where m.batch_id <> v_newer.batch_id
      ) || lockstep.count_moves_of_batch(v_newer.batch_id, v_newer.moves, p_now);
    end loop;
    exit when v_moved.batch_id is null;
    v_ended := v_ended || lockstep.count_moves_of_batch(v_moved.batch_id, v_moved.moves, p_now);
  end loop;
end;
$$;
