-- The history of a job with one more ended attempt. It keeps the last hundred, so that no job grows without bound.
-- Plain SQL without settings, so that PostgreSQL inlines it.
create or replace function lockstep.with_ended_attempt(
  p_history lockstep.ended_attempt[],
  p_ended lockstep.ended_attempt
)
returns lockstep.ended_attempt[]
language sql
immutable
parallel safe
as $$
  select case when cardinality(p_history) >= 100 then p_history[cardinality(p_history) - 98 :] else p_history end || p_ended;
$$;
