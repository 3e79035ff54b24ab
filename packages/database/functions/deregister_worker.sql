-- Takes a worker that has stopped off the list. What it still holds, if anything, is swept as of a lost one.
create or replace function lockstep.deregister_worker(
  p_worker_id uuid,
  p_now timestamptz default clock_timestamp()
)
returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  if exists (select from lockstep.held_jobs(p_worker_id)) then
    update lockstep.workers w set lost_at = p_now where w.id = p_worker_id and w.lost_at is null;
  else
    delete from lockstep.workers w where w.id = p_worker_id;
    delete from lockstep.claimed_ranges r where r.worker_id = p_worker_id;
  end if;
end;
$$;
