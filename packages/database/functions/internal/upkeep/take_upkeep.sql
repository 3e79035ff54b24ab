-- Whether the caller must do a task that the whole fleet does once per interval. If so, the task counts as done now.
create or replace function lockstep.take_upkeep(p_task text, p_interval interval, p_now timestamptz)
returns boolean
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_done_at timestamptz;
begin
  select u.done_at into v_done_at
  from lockstep.upkeep u
  where u.task = p_task and lockstep.is_upkeep_due(u.done_at, p_interval, p_now)
  for update skip locked;
  if not found then
    return false;
  end if;
  if p_task = 'sweep' and v_done_at > p_now then
    perform lockstep.follow_clock_back(p_now);
  end if;
  update lockstep.upkeep u set done_at = p_now where u.task = p_task;
  return true;
end;
$$;
