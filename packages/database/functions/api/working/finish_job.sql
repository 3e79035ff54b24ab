-- Completes the job of a claim with this result, whatever stages are left.
create or replace function lockstep.finish_job(
  p_id uuid,
  p_claim_token uuid,
  p_result jsonb default null,
  p_now timestamptz default clock_timestamp()
)
returns text
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  if octet_length(p_result::text) > 1048576 then
    raise exception 'The result of job % has % bytes, but the limit is 1048576 (1 MiB).', p_id, octet_length(p_result::text)
      using errcode = 'LS001', hint = 'Store large results elsewhere and return a reference to them.';
  end if;
  return lockstep.settle_job(p_id, p_claim_token, jsonb_build_object('outcome', 'finish', 'value', p_result), p_now);
end;
$$;
