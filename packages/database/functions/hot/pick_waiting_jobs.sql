-- Picks the jobs that a plain claim takes from a stage, and locks them: by priority, and within a priority first come, first served.
-- p_places says after which position to look in each of the 20 lanes. Null means from the start, in one index scan instead of
-- twenty; an idle worker does this. If no job is found, picked is null.
create or replace function lockstep.pick_waiting_jobs(
  p_stage_id integer,
  p_room integer,
  p_places bigint[],
  p_now timestamptz,
  out picked tid[],
  out noted_ids uuid[],        -- those whose claims are written to the realtime log
  out lanes smallint[],        -- the priority and the position of each
  out positions bigint[]
)
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  if p_places is null then
    select array_agg(w.ctid), array_agg(w.id) filter (where w.noted), array_agg(w.priority), array_agg(w.position)
    into picked, noted_ids, lanes, positions
    from (
      select j.ctid, j.id, j.noted, j.priority, j.position
      from lockstep.jobs j
      where j.stage_id = p_stage_id
        and j.position is not null
        and j.held_by is null
        and j.status = 'pending'
        and not j.suspect
        and j.group_key is null
        and (j.start_by is null or j.start_by > p_now)
      order by j.priority, j.position
      limit p_room
      for update skip locked
    ) w;
  else
    select array_agg(w.ctid), array_agg(w.id) filter (where w.noted), array_agg(w.priority), array_agg(w.position)
    into picked, noted_ids, lanes, positions
    from (
      select waiting.*
      from unnest(p_places) with ordinality as place (after, lane)
      cross join lateral (
        select j.ctid, j.id, j.noted, j.priority, j.position
        from lockstep.jobs j
        where j.stage_id = p_stage_id
          and j.priority = place.lane
          and j.held_by is null
          and j.status = 'pending'
          and not j.suspect
          and j.group_key is null
          and j.position > place.after
          and (j.start_by is null or j.start_by > p_now)
        order by j.position
        limit p_room
        for update skip locked
      ) waiting
      limit p_room
    ) w;
  end if;
end;
$$;
