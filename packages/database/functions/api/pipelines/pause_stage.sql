-- Stops claims in a stage; jobs that run there go on. A paused wait lets no job through: signals are kept. Returns whether this changed
-- anything.
create or replace function lockstep.pause_stage(
  p_pipeline text,
  p_stage text,
  p_now timestamptz default clock_timestamp()
)
returns boolean
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  update lockstep.stages s
  set paused_at = p_now
  where s.id = lockstep.require_stage(p_pipeline, p_stage) and s.paused_at is null;
  return found;
end;
$$;
