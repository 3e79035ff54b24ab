-- Raises an error if there is no schedule with this name.
create or replace function lockstep.require_schedule(p_name text)
returns void
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  if not exists (select from lockstep.schedules s where s.name = p_name) then
    raise exception 'There is no schedule "%".', coalesce(p_name, '')
      using errcode = 'LS007', hint = 'See the list of schedules for the names that exist.';
  end if;
end;
$$;
