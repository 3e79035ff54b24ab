-- A digest of the functions and grants of this database, as migrate recorded it. Any caller can compare it with that of its code.
create or replace function lockstep.applied_digest()
returns text
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  select f.digest from lockstep.applied_functions f;
$$;
