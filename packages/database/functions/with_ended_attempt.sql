-- The record that an attempt leaves. A hundred are kept per job, so that no job grows without bound.
create or replace function lockstep.with_ended_attempt(
  p_history jsonb,
  p_stage text,
  p_attempt integer,
  p_outcome text,
  p_claim_token uuid,
  p_worker_id uuid,
  p_claimed_at timestamptz,
  p_ended_at timestamptz,
  p_error jsonb,
  p_log jsonb
)
returns jsonb
language sql
stable
parallel safe
as $$
  select
    case when jsonb_array_length(p_history) >= 100 then p_history - 0 else coalesce(p_history, '[]') end
    || jsonb_build_array(
      jsonb_build_object(
        'stage', p_stage,
        'attempt', p_attempt,
        'outcome', p_outcome,
        'token', p_claim_token,
        'workerId', p_worker_id,
        'claimedAt', p_claimed_at,
        'endedAt', p_ended_at
      )
      || case when p_error is null then '{}' else jsonb_build_object('error', p_error) end
      || case when p_log is null then '{}' else jsonb_build_object('log', p_log) end
    );
$$;
