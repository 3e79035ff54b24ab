-- Removes a schedule; the jobs that it has added stay. Returns whether there was one.
create or replace function lockstep.remove_schedule(p_name text)
returns boolean
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  delete from lockstep.schedules s where s.name = p_name;
  return found;
end;
$$;
