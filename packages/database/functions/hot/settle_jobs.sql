-- Ends many attempts at once. Each is found by its job's id and claim token; one that is not found is not ended.
-- p_ends says how each ended, as an array of {"outcome", "value", "delayMs", "timedOut", "keepIn", "log"}:
--   done     value is the output; the job goes to the next stage, or is completed
--   skip     as done, but the handler did not run; value is the output of the stage before, which passes through
--   finish   value is the result; the job is completed, whatever stages are left
--   retry    value is the error; the job is retrying if attempts are left, otherwise failed
--   give_up  value is the error; the job is failed at once
--   snooze   the job comes back later, and the attempt does not count
--   release  the job is pending again, and the attempt does not count
-- If there is no log, the one that report_progress has stored is kept.
-- If there is no outcome, it is done; if p_ends is null, all jobs are done without output.
-- "keepIn" is the id of the next stage: the worker asks to keep the job there, under p_claim_token, if nothing more urgent waits. Works
-- only for stages in p_stage_ids; p_places (20 per stage) says where their waiting jobs begin.
-- Returns a row for everything except a done that was applied as the caller asked. For a lost claim, the status is the one that
-- the job has now.
create or replace function lockstep.settle_jobs(
  p_ids uuid[],
  p_tokens uuid[],
  p_ends jsonb default null,
  p_stage_ids integer[] default '{}',
  p_places bigint[] default '{}',
  p_claim_token uuid default null,
  p_now timestamptz default clock_timestamp()
)
returns table (
  job_id uuid,
  answer text,
  status lockstep.job_status
)
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_last_stage_ids integer[];
  -- by the number in the call, since a call may have both an old and the current claim of one job
  v_settled bigint[];
  v_moves lockstep.job_move[];
  v_rest record;
begin
  if cardinality(p_tokens) <> cardinality(p_ids) or jsonb_array_length(p_ends) <> cardinality(p_ids) then
    raise exception 'settle_jobs needs a token and an end for each job, but got % ids, % tokens and % ends.',
      cardinality(p_ids), cardinality(p_tokens), jsonb_array_length(p_ends)
      using errcode = 'LS001';
  end if;

  -- How most jobs end: done, in their last stage. The jobs of a call are mostly in the same stage, so the first one decides whether
  -- to try this. Otherwise all of them would be looked up for nothing, and then once more.
  v_last_stage_ids := array(select s.id from lockstep.stages s where s.next_stage_id is null);
  if exists (select from lockstep.jobs j where j.id = p_ids[1] and j.stage_id = any (v_last_stage_ids)) then
    select c.numbers, c.moves into v_settled, v_moves
    from lockstep.complete_jobs(p_ids, p_tokens, p_ends, v_last_stage_ids, p_now) c;
    if cardinality(v_settled) = cardinality(p_ids) then
      if v_moves is not null then
        perform lockstep.note_moves(v_moves, p_now);
      end if;
      return;
    end if;
  end if;

  -- All others: jobs that go on to a next stage, have failed, were cancelled or come back.
  select * into v_rest
  from lockstep.settle_with_care(p_ids, p_tokens, p_ends, p_stage_ids, p_places, p_claim_token, p_now);

  -- For all moves at once: it may lock other rows, and all jobs must be locked first.
  v_moves := v_moves || v_rest.moves;
  if v_moves is not null then
    perform lockstep.note_moves(v_moves, p_now);
  end if;

  return query
    select r.id, 'applied', r.status from unnest(v_rest.reported_ids, v_rest.reported_statuses) as r (id, status);

  -- For claims that were not found, say what became of them.
  v_settled := v_settled || v_rest.numbers;
  if coalesce(cardinality(v_settled), 0) < cardinality(p_ids) then
    return query
      select o.*
      from (
        select array_agg(g.id) as ids, array_agg(g.token) as tokens
        from unnest(p_ids, p_tokens) with ordinality as g (id, token, number)
        where (g.number = any (v_settled)) is not true
      ) g
      cross join lateral lockstep.answers_to_lost_claims(g.ids, g.tokens) o;
  end if;
end;
$$;
