-- Takes a worker that has stopped off the list. What it still holds, if anything, is swept as of a lost one; others are woken
-- for what it may have been woken for while it was leaving.
create or replace function lockstep.deregister_worker(
  p_worker_id uuid,
  p_now timestamptz default clock_timestamp()
)
returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_waiting_stage_ids integer[];
begin
  if exists (select from lockstep.held_jobs(p_worker_id)) then
    update lockstep.workers w set lost_at = p_now
    where w.id = p_worker_id and w.lost_at is null
    returning w.waiting_stage_ids into v_waiting_stage_ids;
  else
    delete from lockstep.workers w where w.id = p_worker_id returning w.waiting_stage_ids into v_waiting_stage_ids;
    delete from lockstep.claimed_ranges r where r.worker_id = p_worker_id;
  end if;
  perform lockstep.wake_for_waiting_jobs(v_waiting_stage_ids, p_now);
end;
$$;
