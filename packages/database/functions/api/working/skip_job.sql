-- Ends the stage of a claim as skipped: the job goes to its next stage, or is completed after the last one. The output of the stage
-- before passes through.
create or replace function lockstep.skip_job(
  p_id uuid,
  p_claim_token uuid,
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
    jsonb_build_object('outcome', 'skip', 'value', (
      select j.outputs -> lockstep.stage_before(j.stage_id)
      from lockstep.jobs j
      where j.id = p_id and j.claim_token = p_claim_token
    )),
    p_now
  );
$$;
