-- Part of every sweep: continues with batches whose jobs could not all be cancelled at once.
create or replace function lockstep.cancel_left_batch_jobs(p_now timestamptz)
returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_batch_id uuid;
begin
  for v_batch_id in
    select b.id from lockstep.batches b where b.cancels_jobs order by b.id desc limit 10 for update skip locked
  loop
    perform lockstep.cancel_batch_jobs(v_batch_id, p_now);
  end loop;
end;
$$;
