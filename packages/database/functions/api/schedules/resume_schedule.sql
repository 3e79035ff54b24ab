-- Ends the pause of a schedule; it continues with the first tick after now. Returns whether this changed anything.
create or replace function lockstep.resume_schedule(p_name text, p_now timestamptz default clock_timestamp())
returns boolean
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  update lockstep.schedules s
  set paused_at = null, counts_from = p_now, next_at = null, look_at = '-infinity', revision = gen_random_uuid()
  where s.name = p_name and s.paused_at is not null;
  if found then
    return true;
  end if;
  perform lockstep.require_schedule(p_name);
  return false;
end;
$$;
