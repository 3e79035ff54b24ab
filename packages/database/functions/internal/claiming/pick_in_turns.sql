-- Picks the jobs that a claim takes in a stage with limits, with groups that take turns, or with ageing, and locks them. The most urgent
-- priority comes first. Within a priority the groups take turns, and the jobs without a group are one more group. Within a group it is
-- first come, first served. For each group it reads one index entry, never the jobs behind it, so that a group at its limit costs one
-- lookup. It looks at a limited number of groups; the next claim goes on from there.
-- In a stage that spends, jobs for which a budget has no room are not picked: they leave the line, and wait (park_jobs).
-- free_at is when more jobs may start, if that depends on the time.
create or replace function lockstep.pick_in_turns(
  p_stage_id integer,
  p_room integer,
  p_after bigint[],          -- the places of the lanes of jobs without a group
  p_now timestamptz,
  out picked tid[],
  out picked_ids uuid[],     -- in the order of their turns
  out free_at timestamptz
)
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  -- How many groups one claim looks at, and how many of each priority in any case: however many groups are held back at one priority,
  -- the next one is looked at too.
  v_most_looks constant integer := 1000;
  v_least_looks constant integer := 50;
  -- In a stage that spends, how many jobs of a line are looked at together, and how many may leave the line in one claim.
  v_candidates constant integer := 50;
  v_most_parked constant integer := 1000;
  v_is_spending boolean;
  v_parked integer := 0;
  v_reserved record;
  v_group_concurrency integer;
  v_is_limited boolean;
  v_ageing interval;
  v_room integer;
  v_turn_key text;
  v_left_off text[];
  v_is_cut boolean := false;
  v_lane integer;
  v_start text;
  v_head record;
  v_group_room integer;
  v_free_at timestamptz;
  v_looks integer := 0;
  v_looks_end integer;
  -- the groups that may start jobs, each once, and how many
  v_groups text[] := '{}';
  v_rooms integer[] := '{}';
  v_group integer;
  -- a line here is one group in one lane
  v_line_groups integer[] := '{}';
  v_line_lanes integer[] := '{}';
  v_line_levels integer[] := '{}';
  v_line_after bigint[] := '{}';
  v_lines integer[];
  v_share integer;
  v_most integer;
  v_ask integer;
  v_got record;
  v_is_empty boolean;
  v_keys text[] := '{}';
begin
  picked := '{}';
  picked_ids := '{}';
  select g.room, g.free_at into v_room, free_at from lockstep.gate_room(p_stage_id, p_room, p_now) g;
  if v_room <= 0 then
    return;
  end if;
  select
    s.group_concurrency,
    s.group_concurrency is not null or s.group_rate_jobs is not null or s.breaker ->> 'per' = 'group',
    make_interval(secs => p.ageing_ms / 1000.0),
    g.turn_key,
    g.left_off,
    s.spends is not null
  into v_group_concurrency, v_is_limited, v_ageing, v_turn_key, v_left_off, v_is_spending
  from lockstep.stages s
  join lockstep.pipelines p on p.id = s.pipeline_id
  join lockstep.stage_gates g on g.stage_id = s.id
  where s.id = p_stage_id;

  -- The lines that may have a turn: once around the circle of keys in each lane, from the group after the last turn, or from where
  -- the last claim stopped.
  <<lanes>>
  for v_number in 1 .. 20 loop
    -- If ageing makes two jobs equally urgent, the one in the lane with the larger number has waited longer.
    v_lane := case when v_ageing is null then v_number else 21 - v_number end;
    v_start := coalesce(v_left_off[v_lane], v_turn_key);
    v_left_off[v_lane] := null;
    v_looks_end := greatest(v_most_looks, v_looks + v_least_looks);
    <<circle>>
    for v_part in 1 .. 3 loop
      for v_head in
        with recursive heads as (
          (
            select j.group_key as key, j.position, j.ready_at
            from lockstep.jobs j
            where j.stage_id = p_stage_id and j.priority = v_lane and j.position is not null and j.held_by is null
              and not j.suspect and j.group_key is not null and j.group_key collate "C" > (case v_part when 1 then v_start else '' end)
              and (j.start_by is null or j.start_by > p_now)
              and v_part <> 2
            order by j.group_key collate "C", j.position
            limit 1
          )
          union all
          select n.*
          from heads h
          cross join lateral (
            select j.group_key as key, j.position, j.ready_at
            from lockstep.jobs j
            where j.stage_id = p_stage_id and j.priority = v_lane and j.position is not null and j.held_by is null
              and not j.suspect and j.group_key is not null and j.group_key collate "C" > h.key
              and (j.start_by is null or j.start_by > p_now)
            order by j.group_key collate "C", j.position
            limit 1
          ) n
        )
        select h.key, h.position, h.ready_at,
          (
            select count(*)
            from (
              select from lockstep.jobs j
              where j.counted and j.stage_id = p_stage_id and j.group_key collate "C" = h.key
              order by j.group_key collate "C"
              limit v_group_concurrency
            ) c
            where v_group_concurrency is not null
          ) as running
        from heads h
        union all
        (
          select '', j.position, j.ready_at, 0
          from lockstep.jobs j
          where j.stage_id = p_stage_id and j.priority = v_lane and j.held_by is null and j.status = 'pending' and not j.suspect
            and j.group_key is null and j.position > p_after[v_lane]
            and (j.start_by is null or j.start_by > p_now)
            and v_part = 2
          order by j.position
          limit 1
        )
      loop
        exit when v_part = 3 and v_head.key collate "C" > v_start;
        if v_looks >= v_looks_end then
          v_is_cut := true;
          exit circle;
        end if;
        v_looks := v_looks + 1;
        v_left_off[v_lane] := v_head.key;
        continue when v_head.running >= v_group_concurrency;

        v_group := array_position(v_groups, v_head.key);
        if v_group is null then
          v_group_room := v_room;
          if v_is_limited then
            select g.room, g.free_at into v_group_room, v_free_at
            from lockstep.group_room(p_stage_id, v_head.key, v_room, p_now) g;
            if v_group_room <= 0 then
              free_at := least(free_at, v_free_at);
              continue;
            end if;
          end if;
          v_groups := v_groups || v_head.key;
          v_rooms := v_rooms || v_group_room;
          v_group := cardinality(v_groups);
        end if;
        v_line_groups := v_line_groups || v_group;
        v_line_lanes := v_line_lanes || v_lane;
        v_line_levels := v_line_levels || case
          when v_ageing is null then v_lane
          else least(v_lane, greatest(1, v_lane - floor(date_part('epoch', p_now - v_head.ready_at) / date_part('epoch', v_ageing))))
        end::integer;
        v_line_after := v_line_after || v_head.position - 1;
        -- Each line gives at least one job.
        if v_ageing is null and cardinality(v_line_groups) >= v_room then
          v_left_off[v_lane] := null;
          exit lanes;
        end if;
      end loop;
      if v_part = 3 then
        v_left_off[v_lane] := null;    -- it went all the way around
      end if;
    end loop;
  end loop;

  for v_level in 1 .. 20 loop
    loop
      v_lines := array(
        select l.line
        from unnest(v_line_groups, v_line_levels) with ordinality as l (grp, level, line)
        where l.level = v_level and v_rooms[l.grp] > 0
        order by l.line
      );
      exit when v_room <= 0 or cardinality(v_lines) = 0 or v_parked >= v_most_parked;
      v_share := ceil(v_room::double precision / cardinality(v_lines));

      for v_index in 1 .. cardinality(v_lines) loop
        exit when v_room <= 0 or v_parked >= v_most_parked;
        v_group := v_line_groups[v_lines[v_index]];
        v_most := least(v_share, v_rooms[v_group], v_room);
        v_ask := case when v_is_spending then greatest(v_most, v_candidates) else v_most end;
        if v_groups[v_group] = '' then
          select array_agg(w.ctid order by w.position) as ctids, array_agg(w.id order by w.position) as ids, max(w.position) as position, array_agg(w.position order by w.position) as positions, count(*)::integer as jobs
          into v_got
          from (
            select j.ctid, j.id, j.position, j.ready_at
            from lockstep.jobs j
            where j.stage_id = p_stage_id and j.priority = v_line_lanes[v_lines[v_index]] and j.held_by is null and j.status = 'pending'
              and not j.suspect and j.group_key is null and j.position > v_line_after[v_lines[v_index]]
              and (j.start_by is null or j.start_by > p_now)
            order by j.position
            limit v_ask
            for update skip locked
          ) w
          where v_ageing is null or v_level >= v_line_lanes[v_lines[v_index]] or w.ready_at <= p_now - v_ageing * (v_line_lanes[v_lines[v_index]] - v_level);
        else
          select array_agg(w.ctid order by w.position) as ctids, array_agg(w.id order by w.position) as ids, max(w.position) as position, array_agg(w.position order by w.position) as positions, count(*)::integer as jobs
          into v_got
          from (
            select j.ctid, j.id, j.position, j.ready_at
            from lockstep.jobs j
            where j.stage_id = p_stage_id and j.priority = v_line_lanes[v_lines[v_index]] and j.held_by is null
              and not j.suspect and j.group_key is not null and j.group_key collate "C" = v_groups[v_group]
              and j.position > v_line_after[v_lines[v_index]]
              and (j.start_by is null or j.start_by > p_now)
            order by j.group_key collate "C", j.position
            limit v_ask
            for update skip locked
          ) w
          where v_ageing is null or v_level >= v_line_lanes[v_lines[v_index]] or w.ready_at <= p_now - v_ageing * (v_line_lanes[v_lines[v_index]] - v_level);
        end if;

        v_is_empty := v_got.jobs < v_ask;
        if v_is_spending and v_got.jobs > 0 then
          select r.fitting_ids, r.parked, r.looked into v_reserved from lockstep.reserve_for_claim(v_got.ids, v_most, p_now) r;
          v_parked := v_parked + v_reserved.parked;
          v_is_empty := v_is_empty and v_reserved.looked = v_got.jobs;
          select array_agg(g.ctid order by g.number) as ctids, array_agg(g.id order by g.number) as ids,
            v_got.positions[v_reserved.looked] as position, v_got.positions, count(*)::integer as jobs
          into v_got
          from unnest(v_got.ctids, v_got.ids) with ordinality as g (ctid, id, number)
          where g.id = any (v_reserved.fitting_ids);
        end if;

        if v_got.jobs > 0 then
          picked := picked || v_got.ctids;
          picked_ids := picked_ids || v_got.ids;
          v_keys := v_keys || array_fill(v_groups[v_group], array[v_got.jobs]);
          v_room := v_room - v_got.jobs;
          v_rooms[v_group] := v_rooms[v_group] - v_got.jobs;
          v_line_after[v_lines[v_index]] := v_got.position;
          v_turn_key := v_groups[v_group];
        end if;
        if v_is_empty then
          -- The line has no more jobs, or its next job is less urgent: it comes again at that level.
          v_line_levels[v_lines[v_index]] := case
            when v_ageing is null or v_got.jobs = 0 and v_level >= v_line_lanes[v_lines[v_index]] then 21
            else v_level + 1
          end;
        end if;
      end loop;
    end loop;
    exit when v_room <= 0 or v_parked >= v_most_parked;
  end loop;

  if v_is_spending then
    -- There may be jobs behind those that have left the line; or a budget has room again by then.
    free_at := least(free_at, case when v_parked >= v_most_parked then p_now end, lockstep.next_look_at_budgets(p_stage_id, p_now));
  end if;
  if v_is_cut and cardinality(picked) = 0 then
    -- The groups that were not looked at may have room.
    free_at := least(free_at, p_now + interval '500 milliseconds');
  end if;
  update lockstep.stage_gates g
  set turn_key = v_turn_key, left_off = v_left_off
  where g.stage_id = p_stage_id and (g.turn_key <> v_turn_key or g.left_off is distinct from v_left_off);
  if cardinality(picked) > 0 then
    perform lockstep.use_rates(p_stage_id, v_keys, p_now);
  end if;
end;
$$;
