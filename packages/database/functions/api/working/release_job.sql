-- Gives a claimed job back; the attempt does not count.
create or replace function lockstep.release_job(
  p_id uuid,
  p_claim_token uuid,
  p_now timestamptz default clock_timestamp()
)
returns text
language sql
security definer
set search_path = pg_catalog, pg_temp
as $$
  select lockstep.settle_job(p_id, p_claim_token, jsonb_build_object('outcome', 'release'), p_now);
$$;
