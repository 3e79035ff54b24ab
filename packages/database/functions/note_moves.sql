-- Told of the moves of jobs that are of interest to more than the counters (noted, or counted by a limit), a batch at a time,
-- in the transaction of the moves. Null or none does nothing.
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
  perform lockstep.note_ends_under_limits(p_moves, p_now);
  perform lockstep.log_moves(p_moves, p_now);
  -- the last, since it may end jobs that wait for these
  perform lockstep.count_batch_moves(p_moves, p_now);
end;
$$;
