-- A worker without room in these stages sleeps for them no more, and wakes others for what waits there: else it would keep
-- the wake-ups to itself. Whoever is woken and has no room either passes it on in turn, and so it ends with one that has.
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
  -- forgotten in a crash, it costs one poll
  perform set_config('synchronous_commit', 'off', true);
  update lockstep.workers w
  set waiting_stage_ids = array(select s.id from unnest(w.waiting_stage_ids) s (id) where s.id <> all (p_stage_ids))
  where w.id = p_worker_id and w.waiting_stage_ids && p_stage_ids;

  perform lockstep.wake_for_waiting_jobs(p_stage_ids, p_now);
end;
$$;
