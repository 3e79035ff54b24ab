-- Records why a schedule cannot add jobs, where everybody sees it. Workers try again in a minute, since newer code may understand the
-- pattern or accept the payload.
create or replace function lockstep.note_schedule_problem(
  p_name text,
  p_revision uuid,
  p_problem text,
  p_now timestamptz default clock_timestamp()
)
returns boolean
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  update lockstep.schedules s
  set problem = left(p_problem, 2000), look_at = p_now + interval '1 minute'
  where s.name = p_name and s.revision = p_revision and s.paused_at is null;
  return found;
end;
$$;
