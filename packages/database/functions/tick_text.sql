-- A tick as the jobs' tag has it: UTC, in the way of ISO 8601.
create or replace function lockstep.tick_text(p_tick timestamptz)
returns text
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  select to_char(p_tick at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
$$;
