-- The answer to the end of an effect: applied, already_applied if it was sent again, or lease_lost.
create or replace function lockstep.effect_answer(
  p_id uuid,
  p_claim_token uuid,
  p_key text,
  p_is_applied boolean,
  p_state text
)
returns text
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  if not exists (select from lockstep.jobs j where j.id = p_id and j.claim_token = p_claim_token) then
    return 'lease_lost';
  elsif p_is_applied then
    return 'applied';
  elsif exists (
    select from lockstep.effects e
    where e.job_id = p_id and e.key = p_key and e.claim_token = p_claim_token and e.state = p_state
  ) then
    return 'already_applied';
  end if;
  raise exception 'Effect "%" of job % is not running under this claim.', p_key, p_id
    using errcode = 'LS003', hint = 'Call begin_effect first, and run the effect only if it answers run.';
end;
$$;
