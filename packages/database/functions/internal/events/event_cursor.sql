-- A cursor of the realtime log, as text; read_events explains it.
create or replace function lockstep.event_cursor(
  p_incarnation uuid,
  p_base pg_snapshot,
  p_target pg_snapshot,
  p_last_id bigint,
  p_deletions bigint
)
returns text
language sql
stable
as $$
  select format('2_%s_%s_%s_%s_%s', p_incarnation, p_base, p_target, p_last_id, p_deletions);
$$;
