-- Puts a job back for later; the attempt does not count.
create or replace function lockstep.snooze_job(
  p_id uuid,
  p_claim_token uuid,
  p_for interval,
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
      'outcome', 'snooze',
      'delayMs', (date_part('epoch', greatest(p_for, interval '0')) * 1000)::bigint
    ),
    p_now
  );
$$;
