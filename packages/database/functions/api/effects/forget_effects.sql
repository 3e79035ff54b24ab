-- For people: makes the ledger forget one effect of a job, or all of them, so that the next attempt runs them again, with new
-- idempotency keys. Returns how many were forgotten. Raises an error if one of them is running.
-- The rows stay, since a new key follows from how often the effect was forgotten.
create or replace function lockstep.forget_effects(p_id uuid, p_key text default null)
returns integer
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_forgotten integer;
begin
  perform lockstep.refuse_running_effects(p_id, p_key);
  update lockstep.effects e
  set state = 'stopped',
      starts = 0,
      may_have_happened = false,
      value = null,
      spent = null,
      forgotten = e.forgotten + 1,
      idempotency_key = lockstep.idempotency_key_of(e.job_id, e.job_added_at, e.key, e.forgotten + 1)
  where e.job_id = p_id and (p_key is null or e.key = p_key) and e.starts > 0;
  get diagnostics v_forgotten = row_count;
  return v_forgotten;
end;
$$;
