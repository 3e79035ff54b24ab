-- Ends an attempt with an error: retrying after the stage's backoff (or p_retry_after) while attempts are left,
-- failed when none is, or at once when p_retry is false.
create or replace function lockstep.fail_job(
  p_id uuid,
  p_claim_token uuid,
  p_error jsonb,
  p_retry boolean default true,
  p_retry_after interval default null,
  p_now timestamptz default clock_timestamp()
)
returns text
language sql
security definer
set search_path = pg_catalog, pg_temp
as $$
  select lockstep.settle_job(
    p_id,
    p_claim_token,
    jsonb_build_object(
      'outcome', case when p_retry is false then 'give_up' else 'retry' end,
      'value', lockstep.kept_error(p_error),
      'delayMs', case when p_retry_after is not null
        then (date_part('epoch', greatest(p_retry_after, interval '0')) * 1000)::bigint end
    ),
    p_now
  );
$$;
