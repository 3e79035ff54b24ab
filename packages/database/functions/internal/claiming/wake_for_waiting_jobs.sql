-- Wakes workers for the jobs that wait in these stages, when the workers that were woken before will not take them. Does nothing for null
-- or an empty array.
create or replace function lockstep.wake_for_waiting_jobs(p_stage_ids integer[], p_now timestamptz)
returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_stage_id integer;
  v_jobs integer;
begin
  foreach v_stage_id in array coalesce(p_stage_ids, '{}') loop
    -- It counts no more jobs than wake_workers makes use of, each kind from the start of its index.
    v_jobs := (
      select count(*)
      from (
        select from lockstep.jobs j
        where j.stage_id = v_stage_id and j.position is not null and j.held_by is null and j.status = 'pending'
          and not j.suspect and j.group_key is null
        order by j.priority, j.position
        limit 7
      ) waiting
    ) + (
      select count(*)
      from (
        select from lockstep.jobs j
        where j.stage_id = v_stage_id and j.position is not null and j.held_by is null and not j.suspect
          and j.group_key is not null
        order by j.priority, j.group_key collate "C", j.position
        limit 7
      ) waiting
    );
    if v_jobs > 0 then
      perform lockstep.wake_workers(v_stage_id, v_jobs, p_now);
    end if;
  end loop;
end;
$$;
