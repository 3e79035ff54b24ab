-- Whether the caller is to do a task that the whole fleet does once per interval.
create or replace function lockstep.take_upkeep(p_task text, p_interval interval, p_now timestamptz)
returns boolean
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform 1
  from lockstep.upkeep u
  where u.task = p_task and u.done_at <= p_now - p_interval
  for update skip locked;
  if not found then
    return false;
  end if;
  update lockstep.upkeep u set done_at = p_now where u.task = p_task;
  return true;
end;
$$;
