-- Asks the ledger, under a claim, whether to run an effect of the job. Answers
--   run         it is recorded as started; run it, with this idempotency key, and report how it ended
--   done        it has happened; value is what it returned
--   unknown     nobody knows how an earlier start ended; only if p_retry_unknown is false, otherwise the answer is run
--   lease_lost  this claim no longer holds the job; do not run it
-- With run, may_have_happened is true if an earlier start is in doubt. p_resent means that this call repeats one whose reply was lost.
create or replace function lockstep.begin_effect(
  p_id uuid,
  p_claim_token uuid,
  p_key text,
  p_retry_unknown boolean default true,
  p_resent boolean default false,
  p_now timestamptz default clock_timestamp()
)
returns table (answer text, idempotency_key uuid, may_have_happened boolean, value jsonb, has_value boolean)
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_job record;
  v_effect lockstep.effects;
  v_is_known boolean;
  v_is_in_doubt boolean;
begin
  if p_key is null or octet_length(p_key) not between 1 and 255 then
    raise exception 'An effect of job % has a key of % bytes, but a key must have 1 to 255.', p_id, coalesce(octet_length(p_key), 0)
      using errcode = 'LS001', hint = 'Name the effect in a few words, such as "welcome mail".';
  end if;

  -- Locked, so that no sweep takes the job back before the commit.
  select j.added_at, j.pipeline_id into v_job
  from lockstep.jobs j
  where j.id = p_id and j.claim_token = p_claim_token
  for update;
  if not found then
    return query select 'lease_lost', null::uuid, null::boolean, null::jsonb, null::boolean;
    return;
  end if;

  select e.* into v_effect
  from lockstep.effects e
  where e.job_id = p_id and e.key = p_key
  for update;
  v_is_known := found and v_effect.job_added_at = v_job.added_at;

  if v_is_known and v_effect.state = 'done' then
    return query select
      'done', v_effect.idempotency_key, false, v_effect.value, v_effect.value is not null;
    return;
  end if;

  -- What the caller does next cannot be undone, so the record of its start must survive a crash of the server.
  if current_setting('synchronous_commit') = 'off' then
    perform set_config('synchronous_commit', 'on', true);
  end if;

  if not v_is_known then
    insert into lockstep.effects (
      job_id, key, job_added_at, pipeline_id, looked_at, started_at, idempotency_key, claim_token
    )
    values (
      p_id, p_key, v_job.added_at, v_job.pipeline_id, p_now, p_now,
      lockstep.idempotency_key_of(p_id, v_job.added_at, p_key, 0), p_claim_token
    )
    -- the row of an earlier job that had the same id
    on conflict (job_id, key) do update
    set job_added_at = excluded.job_added_at,
        pipeline_id = excluded.pipeline_id,
        looked_at = excluded.looked_at,
        started_at = excluded.started_at,
        ended_at = null,
        idempotency_key = excluded.idempotency_key,
        claim_token = excluded.claim_token,
        starts = 1,
        forgotten = 0,
        may_have_happened = false,
        state = 'started',
        value = null,
        spent = null
    returning * into v_effect;
    return query select 'run', v_effect.idempotency_key, false, null::jsonb, false;
    return;
  end if;

  if v_effect.state = 'started' and v_effect.claim_token = p_claim_token then
    if not p_resent then
      raise exception 'Effect "%" of job % is already running under this claim.', p_key, p_id
        using errcode = 'LS003', hint = 'Wait until it has ended, or give the second effect a key of its own.';
    end if;
    return query select 'run', v_effect.idempotency_key, v_effect.may_have_happened, null::jsonb, false;
    return;
  end if;

  -- A start under another claim that is still open never reported its end, and its claim is gone.
  v_is_in_doubt := v_effect.may_have_happened or v_effect.state = 'started';
  if v_is_in_doubt and not p_retry_unknown then
    -- Left as it is, since the worker that started it may still report that it is done.
    return query select 'unknown', v_effect.idempotency_key, true, null::jsonb, false;
    return;
  end if;

  update lockstep.effects e
  set state = 'started',
      claim_token = p_claim_token,
      starts = e.starts + 1,
      may_have_happened = v_is_in_doubt,
      started_at = p_now,
      ended_at = null
  where e.job_id = p_id and e.key = p_key;
  return query select 'run', v_effect.idempotency_key, v_is_in_doubt, null::jsonb, false;
end;
$$;
