-- Does what the moves of some jobs need beyond the counters: those that are noted, or counted by a limit or a budget. Called once for all
-- moves of a call, in their transaction. Does nothing for null or an empty array.
create or replace function lockstep.note_moves(p_moves lockstep.job_move[], p_now timestamptz)
returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  if coalesce(cardinality(p_moves), 0) = 0 then
    return;
  end if;
  if exists (select from unnest(p_moves) m where m.counted) then
    perform lockstep.note_outcomes(p_moves, p_now);
    perform lockstep.settle_budgets(p_moves);
  end if;
  perform lockstep.log_moves(p_moves, p_now);
  -- last, since it may end jobs that wait for these
  perform lockstep.count_batch_moves(p_moves, p_now);
end;
$$;
