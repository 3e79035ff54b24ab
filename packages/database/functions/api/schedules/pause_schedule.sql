-- Stops a schedule. Ticks while it is paused do not count as missed. Returns whether this changed anything.
create or replace function lockstep.pause_schedule(p_name text, p_now timestamptz default clock_timestamp())
returns boolean
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  update lockstep.schedules s
  set paused_at = p_now, next_at = null, look_at = null, problem = null, revision = gen_random_uuid()
  where s.name = p_name and s.paused_at is null;
  if found then
    return true;
  end if;
  perform lockstep.require_schedule(p_name);
  return false;
end;
$$;
