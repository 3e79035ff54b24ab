-- Removes a worker that has stopped. If it still holds jobs, it is marked as lost, and the next sweep takes them back. Other workers are
-- woken for jobs that this one may have been woken for while it was stopping.
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
    -- A claim may have committed since the check above. Its range stays, so that the sweep finds its jobs.
    delete from lockstep.claimed_ranges r
    where r.worker_id = p_worker_id
      and not exists (select from lockstep.jobs_of_range(r));
  end if;
  perform lockstep.wake_for_waiting_jobs(v_waiting_stage_ids, p_now);
end;
$$;
