-- The batch for whose results a finished job waited when it ended, locked together with its finished children, in the order in which
-- retries of these lock them. Null if it did not end so, or if a child is past its retention: then the stage runs again.
create or replace function lockstep.lock_batch_to_resume(p_job lockstep.finished_jobs)
returns lockstep.batches
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_batch lockstep.batches;
begin
  select b.* into v_batch
  from lockstep.batches b
  where b.waiting_job_id = p_job.id and b.returns is not null and b.fan_out_stage_id = p_job.stage_id
    -- it has done nothing since
    and p_job.claim_token is null
    and b.fan_out_token = (
      select h.claim_token
      from unnest(p_job.history) with ordinality as h (
        stage_id, attempt, outcome, claim_token, worker_id, claimed_at, ended_at, detail, number
      )
      where h.outcome <> 'retried'
      order by h.number desc
      limit 1
    );
  if not found then
    return null;
  end if;
  perform from lockstep.finished_jobs f where f.batch_id = v_batch.id order by f.id for update;
  select b.* into v_batch from lockstep.batches b where b.id = v_batch.id for update;
  if exists (
    select from jsonb_array_elements(v_batch.branches) as c (branch)
    where not exists (select from lockstep.jobs j where j.id = (c.branch ->> 'jobId')::uuid and j.batch_id = v_batch.id)
      and not exists (select from lockstep.finished_jobs f where f.batch_id = v_batch.id and f.id = (c.branch ->> 'jobId')::uuid)
  ) then
    return null;
  end if;
  return v_batch;
end;
$$;
