-- A tick as text for the tag of its job: ISO 8601, in UTC.
create or replace function lockstep.tick_text(p_tick timestamptz)
returns text
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  select to_char(p_tick at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
$$;
