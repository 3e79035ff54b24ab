-- For a worker that has no room in these stages: it no longer sleeps for them, and other workers are woken for the jobs that wait there.
-- Otherwise it would keep the wake-ups to itself. A woken worker without room passes the wake-up on in turn, until one has room.
create or replace function lockstep.pass_on_wake_up(
  p_worker_id uuid,
  p_stage_ids integer[],
  p_now timestamptz default clock_timestamp()
)
returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  -- if a crash loses it, the worker finds its jobs by polling
  perform set_config('synchronous_commit', 'off', true);
  update lockstep.workers w
  set waiting_stage_ids = array(select s.id from unnest(w.waiting_stage_ids) s (id) where s.id <> all (p_stage_ids))
  where w.id = p_worker_id and w.waiting_stage_ids && p_stage_ids;

  perform lockstep.wake_for_waiting_jobs(p_stage_ids, p_now);
end;
$$;
