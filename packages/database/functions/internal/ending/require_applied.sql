-- Raises an error unless settle_job has answered applied: the rest of the caller's transaction must not commit without the end of the
-- attempt.
create or replace function lockstep.require_applied(p_answer text, p_id uuid, p_claim_token uuid)
returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  if p_answer = 'applied' then
    return;
  elsif lockstep.claim_state(p_id, p_claim_token) in ('advanced', 'completed', 'failed') then
    raise exception 'The stage of job % was already ended under this claim.', p_id
      using errcode = 'LS003', hint = 'Roll back, and end a stage only once.';
  end if;
  raise exception 'This claim no longer holds job %.', p_id
    using errcode = 'LS006', hint = 'Roll back: another worker may run the job.';
end;
$$;
