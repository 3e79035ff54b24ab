-- Ends the stage of a claim as done: the job goes to its next stage, or is completed after the last one.
create or replace function lockstep.complete_job(
  p_id uuid,
  p_claim_token uuid,
  p_output jsonb default null,
  p_now timestamptz default clock_timestamp()
)
returns text
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  if octet_length(p_output::text) > 1048576 then
    raise exception 'The output of job % has % bytes, but the limit is 1048576 (1 MiB).', p_id, octet_length(p_output::text)
      using errcode = 'LS001', hint = 'Store large results elsewhere and return a reference to them.';
  end if;
  return lockstep.settle_job(p_id, p_claim_token, jsonb_build_object('value', p_output), p_now);
end;
$$;
