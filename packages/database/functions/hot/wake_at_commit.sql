-- Wakes workers when the transaction of a move commits, if the move says so (wakes_for). Not earlier, since only then is it known
-- which workers sleep. The trigger that calls it is in a migration.
create or replace function lockstep.wake_at_commit()
returns trigger
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform lockstep.wake_workers(new.stage_id, new.wakes_for, new.at);
  return null;
end;
$$;
