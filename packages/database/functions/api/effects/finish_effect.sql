-- Records that an effect has happened, what it returned and what it has spent ({budget: amount}). Answers applied, already_applied or
-- lease_lost.
-- The claim that must match is the one that started the effect last, not the job's current one, since the effect did happen, whoever
-- holds the job now. So a worker that lost its claim is told lease_lost, but the effect is recorded and the new holder does not run it
-- again, unless it has already begun it too: then that start is the one that counts.
create or replace function lockstep.finish_effect(
  p_id uuid,
  p_claim_token uuid,
  p_key text,
  p_value jsonb default null,
  p_spends jsonb default null,
  p_now timestamptz default clock_timestamp()
)
returns text
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  if octet_length(p_value::text) > 1048576 then
    raise exception 'The value of effect "%" of job % has % bytes, but the limit is 1048576 (1 MiB).',
      p_key, p_id, octet_length(p_value::text)
      using errcode = 'LS001', hint = 'Store large results elsewhere and return a reference to them.';
  end if;
  if current_setting('synchronous_commit') = 'off' then
    perform set_config('synchronous_commit', 'on', true);
  end if;

  if p_spends is not null then
    -- before the effect, as begin_effect does it
    perform from lockstep.jobs j where j.id = p_id and j.claim_token = p_claim_token for update;
  end if;
  update lockstep.effects e
  set state = 'done',
      value = p_value,
      spent = p_spends,
      ended_at = p_now
  where e.job_id = p_id and e.key = p_key and e.claim_token = p_claim_token and e.state = 'started';
  if found and p_spends is not null then
    perform lockstep.spend_in_effect(p_id, p_claim_token, p_spends, p_now);
    return lockstep.effect_answer(p_id, p_claim_token, p_key, true, 'done');
  end if;
  return lockstep.effect_answer(p_id, p_claim_token, p_key, found, 'done');
end;
$$;
