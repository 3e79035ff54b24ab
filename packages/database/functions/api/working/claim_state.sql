-- What became of a claim whose stage may have been ended in a transaction of its handler:
--   held       it still holds its job, and no open transaction has locked it
--   locked     the job's row is locked: the handler's transaction may still be open
--   advanced   the stage was done, and the job went on
--   completed  the stage was done, and it was the last one
--   failed     its holder ended the job as failed
--   cancelled  the claim ended because the job was cancelled
--   lost       anything else: the job no longer belongs to this claim
create or replace function lockstep.claim_state(p_id uuid, p_claim_token uuid)
returns text
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_state text;
begin
  perform from lockstep.jobs j where j.id = p_id and j.claim_token = p_claim_token for update skip locked;
  if found then
    return 'held';
  end if;
  if exists (select from lockstep.jobs j where j.id = p_id and j.claim_token = p_claim_token) then
    return 'locked';
  end if;

  -- Each lookup is a statement of its own, so that it sees what was committed since the one before.
  select 'advanced' into v_state
  from lockstep.jobs j
  cross join lateral unnest(j.history) h
  where j.id = p_id and h.claim_token = p_claim_token and h.outcome = 'done';
  if found then
    return v_state;
  end if;

  select
    case
      when f.claim_token = p_claim_token and f.last_outcome is null and f.status in ('completed', 'failed', 'cancelled')
        then f.status::text
      when exists (select from unnest(f.history) h where h.claim_token = p_claim_token and h.outcome = 'done')
        then 'advanced'
    end
  into v_state
  from lockstep.finished_jobs f
  where f.pipeline_id = any (array(select p.id from lockstep.pipelines p)) and f.id = p_id;
  return coalesce(v_state, 'lost');
end;
$$;
