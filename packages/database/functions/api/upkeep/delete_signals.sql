-- Retention: deletes signals and signal keys whose job is gone, at most once per interval for the whole fleet, up to 5,000 of each per call.
-- p_keep is the shortest time that jobs are kept. Returns how many rows it checked of the kind that has more of them; 5,000 means that
-- there may be more.
create or replace function lockstep.delete_signals(
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
  if not lockstep.take_upkeep('signals', p_interval, p_now) then
    return 0;
  end if;
  return greatest(
    lockstep.delete_without_job('signals', p_keep, p_now), lockstep.delete_without_job('signal_keys', p_keep, p_now)
  );
end;
$$;
