-- Ends an attempt with an error. If attempts are left, the job is retrying, with the delay of its stage or p_retry_after; otherwise, or if
-- p_retry is false, it is failed.
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
