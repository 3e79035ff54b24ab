-- Wakes workers for jobs that have become pending, when their transaction commits and not before:
-- who sleeps then, nobody can say at the time of the add.
create or replace function lockstep.wake_at_commit()
returns trigger
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform lockstep.wake_workers(new.stage_id, new.jobs, new.at);
  return null;
end;
$$;

-- One row per call and stage, whatever the number of jobs: that is how often it fires.
drop trigger if exists wake_at_commit on lockstep.stage_moves;
create constraint trigger wake_at_commit
  after insert on lockstep.stage_moves
  deferrable initially deferred
  for each row
  when (new.moved_to = 'pending')
  execute function lockstep.wake_at_commit();
