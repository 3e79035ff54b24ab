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
set enable_seqscan = off
set enable_bitmapscan = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_stage_id integer;
  v_jobs integer;
begin
  -- forgotten in a crash, it costs one poll
  perform set_config('synchronous_commit', 'off', true);
  update lockstep.workers w
  set waiting_stage_ids = array(select s.id from unnest(w.waiting_stage_ids) s (id) where s.id <> all (p_stage_ids))
  where w.id = p_worker_id and w.waiting_stage_ids && p_stage_ids;

  foreach v_stage_id in array p_stage_ids loop
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
