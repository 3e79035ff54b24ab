-- Removes a schedule; jobs that it has added stay. Says whether there was one.
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
