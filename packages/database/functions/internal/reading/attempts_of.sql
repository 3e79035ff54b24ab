-- A job's attempts as people may see them: without claim tokens, which are secret. That a cancel was forced matters only to the worker
-- whose claim it took (was_settled).
create or replace function lockstep.attempts_of(p_history lockstep.ended_attempt[])
returns jsonb
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(
    jsonb_agg(
      jsonb_build_object(
        'stage', s.name, 'outcome', case h.outcome when 'forced' then 'cancelled' else h.outcome end, 'endedAt', h.ended_at
      )
      || case when h.attempt is null then '{}'
        else jsonb_build_object('attempt', h.attempt, 'workerId', h.worker_id, 'claimedAt', h.claimed_at) end
      || coalesce(h.detail, '{}')
      order by h.number
    ),
    '[]'
  )
  from unnest(p_history) with ordinality as h (
    stage_id, attempt, outcome, claim_token, worker_id, claimed_at, ended_at, detail, number
  )
  join lockstep.stages s on s.id = h.stage_id;
$$;
