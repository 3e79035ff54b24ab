-- Raises an error unless this claim holds its job and the lease of its worker is valid. Nobody can take the job before the calling
-- transaction ends, so everything that this transaction writes is written by the holder or not at all.
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
  -- Whoever takes a job from its holder locks it "for update", and so waits for this lock or skips the job. Progress changes no key,
  -- so it can still be written.
  select j.worker_id into v_worker_id
  from lockstep.jobs j
  where j.id = p_id and j.claim_token = p_claim_token
  for key share;

  -- A statement of its own, after the lock: the lease may have ended while it waited for the lock.
  if v_worker_id is null or not exists (
    select from lockstep.workers w
    where w.id = v_worker_id and w.lost_at is null and w.lease_until > p_now
  ) then
    raise exception 'This claim no longer holds job %, or the lease of its worker is over.', p_id
      using errcode = 'LS006', hint = 'Roll back: another worker may run the job.';
  end if;
end;
$$;
