-- The number of the newest migration that this database has seen.
create or replace function lockstep.schema_version()
returns integer
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(max(version), 0) from lockstep.migrations;
$$;
