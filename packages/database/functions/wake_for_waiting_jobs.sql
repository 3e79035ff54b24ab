-- Wakes workers for what waits in these stages, when those who were told of it will not take it. Null or none does nothing.
create or replace function lockstep.wake_for_waiting_jobs(p_stage_ids integer[], p_now timestamptz)
returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_stage_id integer;
  v_jobs integer;
begin
  foreach v_stage_id in array coalesce(p_stage_ids, '{}') loop
    -- No more than wake_workers cares for, each from the start of its own index.
    v_jobs := (
      select count(*)
      from (
        select from lockstep.jobs j
        where j.stage_id = v_stage_id and j.listed_as = 'pending' and j.status = 'pending' and not j.suspect and j.group_key is null
        order by j.priority, j.position
        limit 7
      ) waiting
    ) + (
      select count(*)
      from (
        select from lockstep.jobs j
        where j.stage_id = v_stage_id and j.listed_as = 'pending' and not j.suspect and j.group_key is not null
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
