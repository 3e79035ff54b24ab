-- What a worker must do about suspects, if there are any:
--   alone   it runs one, and claims nothing beside it
--   take    one waits, and this worker holds nothing, so it may take it
--   free    one waits, and this worker should run dry for it
--   none    it goes on as usual
create or replace function lockstep.part_in_suspects(p_worker_id uuid, p_open_stages integer[], p_now timestamptz)
returns text
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  if exists (select from lockstep.jobs j where j.suspect and j.status = 'processing' and j.worker_id = p_worker_id) then
    return 'alone';
  end if;
  if not exists (
    select from lockstep.jobs j where j.suspect and j.status = 'pending' and j.stage_id = any (p_open_stages)
  ) then
    return 'none';
  end if;
  if not exists (select from lockstep.held_jobs(p_worker_id)) then
    return 'take';
  end if;
  return case when lockstep.frees_itself(p_worker_id, p_open_stages, p_now) then 'free' else 'none' end;
end;
$$;
