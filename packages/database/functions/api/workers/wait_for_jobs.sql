-- A worker that found no jobs announces which stages it sleeps for: adds there send it a wake-up.
create or replace function lockstep.wait_for_jobs(p_worker_id uuid, p_stage_ids integer[])
returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  -- if a crash loses it, the worker finds its jobs by polling
  perform set_config('synchronous_commit', 'off', true);
  update lockstep.workers
  set waiting_stage_ids = p_stage_ids
  where id = p_worker_id and waiting_stage_ids <> p_stage_ids;
end;
$$;
