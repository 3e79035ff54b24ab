-- The oldest code that may use this schema, as the version it brings: that of the newest migration that was marked as breaking.
create or replace function lockstep.oldest_code_version()
returns integer
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(max(version) filter (where is_breaking), 0) from lockstep.migrations;
$$;
