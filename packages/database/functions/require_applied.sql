-- Raises unless a claim has just ended its attempt, as settle_job has answered: in a transaction that writes more, the
-- rest must not commit without it.
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
    raise exception 'The stage of job % was ended under this claim before.', p_id
      using errcode = 'LS003', hint = 'Roll back, and end a stage once.';
  end if;
  raise exception 'Job % is not held by this claim any more.', p_id
    using errcode = 'LS006', hint = 'Roll back: another worker may run the job.';
end;
$$;
