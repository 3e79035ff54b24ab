-- Allows claims in a paused stage again; if it is a wait, jobs that are due or were signalled meanwhile go on. Returns whether this changed
-- anything.
create or replace function lockstep.resume_stage(
  p_pipeline text,
  p_stage text,
  p_now timestamptz default clock_timestamp()
)
returns boolean
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_stage_id integer := lockstep.require_stage(p_pipeline, p_stage);
begin
  update lockstep.stages s set paused_at = null where s.id = v_stage_id and s.paused_at is not null;
  if not found then
    return false;
  end if;
  perform lockstep.wake_workers(v_stage_id, 8, p_now);
  perform lockstep.end_due_waits(array[v_stage_id], p_now);
  return true;
end;
$$;
