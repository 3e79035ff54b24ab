-- fail_job without a retry, for a transaction that also writes something else. It raises an error where fail_job would answer
-- already_applied or lease_lost, so that the rest of the transaction cannot commit unless the job ends.
create or replace function lockstep.fail_held_job(
  p_id uuid,
  p_claim_token uuid,
  p_error jsonb,
  p_log jsonb default null,
  p_now timestamptz default clock_timestamp()
)
returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform lockstep.require_applied(
    lockstep.settle_job(
      p_id,
      p_claim_token,
      jsonb_build_object('outcome', 'give_up', 'value', lockstep.kept_error(p_error), 'log', p_log),
      p_now
    ),
    p_id,
    p_claim_token
  );
end;
$$;
