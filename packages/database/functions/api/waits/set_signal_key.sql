-- Gives the job of a claim a key by which it can be signalled. It keeps the keys that it has. Answers applied or lease_lost; raises an error
-- if another live job of the pipeline has the key.
create or replace function lockstep.set_signal_key(
  p_id uuid,
  p_claim_token uuid,
  p_key text,
  p_now timestamptz default clock_timestamp()
)
returns text
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform from lockstep.jobs j where j.id = p_id and j.claim_token = p_claim_token for update;
  if not found then
    return 'lease_lost';
  end if;
  perform lockstep.take_signal_keys(array[p_id], array[p_key], p_now);
  return 'applied';
end;
$$;
