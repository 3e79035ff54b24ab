-- For people: takes one effect of a job, or all of them, off the ledger, so that the next try runs them anew, with new
-- idempotency keys. Says how many there were. One that runs at this moment is refused.
create or replace function lockstep.forget_effects(p_id uuid, p_key text default null)
returns integer
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
as $$
declare
  v_forgotten integer;
begin
  perform lockstep.refuse_running_effects(p_id, p_key);
  delete from lockstep.effects e
  where e.job_id = p_id and (p_key is null or e.key = p_key);
  get diagnostics v_forgotten = row_count;
  return v_forgotten;
end;
$$;
