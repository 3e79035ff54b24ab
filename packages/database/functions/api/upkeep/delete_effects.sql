-- Retention: deletes effects whose job is gone, at most once per interval for the whole fleet, up to 5,000 per call.
-- p_keep is the shortest time that jobs are kept. Returns how many effects it checked; 5,000 means that there may be more.
create or replace function lockstep.delete_effects(
  p_keep interval default '7 days',
  p_interval interval default '0',
  p_now timestamptz default clock_timestamp()
)
returns integer
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  if not lockstep.take_upkeep('effects', p_interval, p_now) then
    return 0;
  end if;
  return lockstep.delete_without_job('effects', p_keep, p_now);
end;
$$;
