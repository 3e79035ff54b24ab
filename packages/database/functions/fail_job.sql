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
      'value', case
        when octet_length(p_error::text) > 16384
          then jsonb_build_object('message', left(coalesce(p_error ->> 'message', p_error::text), 8192))
        when jsonb_typeof(p_error) = 'object' then p_error
        else jsonb_build_object('message', coalesce(p_error #>> '{}', 'no message'))
      end,
      'delayMs', case when p_retry_after is not null
        then (date_part('epoch', greatest(p_retry_after, interval '0')) * 1000)::bigint end
    ),
    p_now
  );
$$;
