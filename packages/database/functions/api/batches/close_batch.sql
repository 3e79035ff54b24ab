-- Closes a batch: no further job can join it. It is finished when all its jobs have ended, which may be at once.
-- Answers closed, already_closed or not_found.
create or replace function lockstep.close_batch(p_id uuid, p_now timestamptz default clock_timestamp())
returns text
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_batch lockstep.batches;
begin
  update lockstep.batches b set closed_at = p_now where b.id = p_id and b.closed_at is null returning b.* into v_batch;
  if found then
    perform lockstep.count_batch_moves(lockstep.end_batch(v_batch, null, p_now), p_now);
    return 'closed';
  end if;
  return case when exists (select from lockstep.batches b where b.id = p_id) then 'already_closed' else 'not_found' end;
end;
$$;
