-- Raises unless this claim holds its job under a living lease; called in a transaction, the job stays its own until that
-- transaction ends. So whatever else the transaction writes is written by the holder or not at all.
create or replace function lockstep.assert_lease(
  p_id uuid,
  p_claim_token uuid,
  p_now timestamptz default clock_timestamp()
)
returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_worker_id uuid;
begin
  -- Whoever takes a job from its holder locks it for update and so waits, or passes it over. Progress, an update
  -- of no key, is still written.
  select j.worker_id into v_worker_id
  from lockstep.jobs j
  where j.id = p_id and j.claim_token = p_claim_token
  for key share;

  -- In a statement of its own, after the lock: while it waited the lease may have ended.
  if v_worker_id is null or not exists (
    select from lockstep.workers w
    where w.id = v_worker_id and w.lost_at is null and w.lease_until > p_now
  ) then
    raise exception 'Job % is not held by this claim any more, or the lease of its worker is over.', p_id
      using errcode = 'LS006', hint = 'Roll back: another worker may run the job.';
  end if;
end;
$$;
