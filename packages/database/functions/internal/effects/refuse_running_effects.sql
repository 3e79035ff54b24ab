-- Raises an error if an effect of the job is running. None can begin before the caller's transaction ends.
create or replace function lockstep.refuse_running_effects(p_id uuid, p_key text)
returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_claim_token uuid;
  v_running text;
begin
  -- begin_effect locks the same row
  select j.claim_token into v_claim_token from lockstep.jobs j where j.id = p_id for update;

  select e.key into v_running
  from lockstep.effects e
  where e.job_id = p_id and (p_key is null or e.key = p_key)
    and e.state = 'started' and e.claim_token = v_claim_token
  limit 1;
  if found then
    raise exception 'Effect "%" of job % is running.', v_running, p_id
      using errcode = 'LS003', hint = 'Cancel the job, or wait until its attempt has ended.';
  end if;
end;
$$;
