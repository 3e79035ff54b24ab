-- Records that a started effect did not happen or, with p_may_have_happened, that nobody knows whether it did.
-- An earlier start that is in doubt stays in doubt. Needs the same claim and gives the same answers as finish_effect.
create or replace function lockstep.fail_effect(
  p_id uuid,
  p_claim_token uuid,
  p_key text,
  p_may_have_happened boolean default false,
  p_now timestamptz default clock_timestamp()
)
returns text
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  update lockstep.effects e
  set state = 'stopped',
      may_have_happened = e.may_have_happened or p_may_have_happened,
      ended_at = p_now
  where e.job_id = p_id and e.key = p_key and e.claim_token = p_claim_token and e.state = 'started';
  return lockstep.effect_answer(p_id, p_claim_token, p_key, found, 'stopped');
end;
$$;
