-- complete_job for a transaction that also writes something else. It raises an error where complete_job would answer already_applied or
-- lease_lost, so that the rest of the transaction cannot commit unless the stage ends.
create or replace function lockstep.complete_held_job(
  p_id uuid,
  p_claim_token uuid,
  p_output jsonb default null,
  p_log jsonb default null,
  p_now timestamptz default clock_timestamp()
)
returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  if octet_length(p_output::text) > 1048576 then
    raise exception 'The output of job % has % bytes, but the limit is 1048576 (1 MiB).', p_id, octet_length(p_output::text)
      using errcode = 'LS001', hint = 'Store large results elsewhere and return a reference to them.';
  end if;

  perform lockstep.require_applied(
    lockstep.settle_job(p_id, p_claim_token, jsonb_build_object('value', p_output, 'log', p_log), p_now),
    p_id,
    p_claim_token
  );
end;
$$;
