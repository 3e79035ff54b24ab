-- A place in the realtime log as text: see read_events.
create or replace function lockstep.event_cursor(
  p_base pg_snapshot,
  p_target pg_snapshot,
  p_last_id bigint,
  p_deletions bigint
)
returns text
language sql
stable
as $$
  select format('1_%s_%s_%s_%s', p_base, p_target, p_last_id, p_deletions);
$$;
