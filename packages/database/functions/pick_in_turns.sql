-- Which jobs a claim takes where it is not simply the next ones: in a stage with limits, with groups that take turns, or with
-- ageing. By priority; within one the groups take turns, and the jobs without a group are one more; within a group, first
-- come first served. Reads one entry for each group, never the jobs behind it, so that what a limit holds back costs one look.
-- The picked rows are locked. free_at is when more may be had, where a clock decides that.
create or replace function lockstep.pick_in_turns(
  p_stage_id integer,
  p_room integer,
  p_after bigint[],          -- where the lanes of jobs without a group were left off
  p_now timestamptz,
  out picked tid[],
  out picked_ids uuid[],     -- in the order of their turns
  out free_at timestamptz
)
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
-- One sane plan whatever the statistics say: by index, row by row, in order.
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_bitmapscan = off
set enable_material = off
set random_page_cost = 0
set plan_cache_mode = force_generic_plan
as $$
declare
  v_most_looks constant integer := 2000;
  v_is_limited boolean;
  v_ageing interval;
  v_room integer;
  v_turn_key text;
  v_lane integer;
  v_key text;
  v_wrapped boolean;
  v_head record;
  v_limit record;
  v_looks integer := 0;
  -- groups, each once, with what they may still start
  v_groups text[] := '{}';
  v_rooms integer[] := '{}';
  v_group integer;
  -- lines: a group in a lane
  v_line_groups integer[] := '{}';
  v_line_lanes integer[] := '{}';
  v_line_levels integer[] := '{}';
  v_line_after bigint[] := '{}';
  v_lines integer[];
  v_share integer;
  v_ask integer;
  v_got record;
  v_keys text[] := '{}';
begin
  picked := '{}';
  picked_ids := '{}';
  select g.room, g.free_at into v_room, free_at from lockstep.gate_room(p_stage_id, p_room, p_now) g;
  if v_room <= 0 then
    return;
  end if;
  select
    s.group_concurrency is not null or s.group_rate_jobs is not null or s.breaker ->> 'per' = 'group',
    make_interval(secs => p.ageing_ms / 1000.0),
    g.turn_key
  into v_is_limited, v_ageing, v_turn_key
  from lockstep.stages s
  join lockstep.pipelines p on p.id = s.pipeline_id
  join lockstep.stage_gates g on g.stage_id = s.id
  where s.id = p_stage_id;

  -- The lines that may have a turn: once round the circle of keys in each lane, from the group after the last turn.
  <<lanes>>
  for v_number in 1 .. 20 loop
    -- Of two that ageing makes equal, the one that waited longer stands in the larger lane.
    v_lane := case when v_ageing is null then v_number else 21 - v_number end;
    v_key := v_turn_key;
    v_wrapped := false;
    loop
      v_head := null;
      if v_wrapped and v_key is null then
        v_key := '';
        select '' as key, j.position, j.ready_at into v_head
        from lockstep.jobs j
        where j.stage_id = p_stage_id and j.priority = v_lane and j.listed_as = 'pending' and j.status = 'pending' and not j.suspect
          and j.group_key is null and j.position > p_after[v_lane]
          and (j.start_by is null or j.start_by > p_now)
        order by j.position
        limit 1;
        continue when not found;
      else
        select j.group_key as key, j.position, j.ready_at into v_head
        from lockstep.jobs j
        where j.stage_id = p_stage_id and j.priority = v_lane and j.listed_as = 'pending' and not j.suspect
          and j.group_key is not null and j.group_key collate "C" > v_key
          and (j.start_by is null or j.start_by > p_now)
        order by j.group_key collate "C", j.position
        limit 1;
        if not found or (v_wrapped and v_head.key collate "C" > v_turn_key) then
          exit when v_wrapped;
          v_wrapped := true;
          v_key := null;
          continue;
        end if;
        v_key := v_head.key;
      end if;

      v_looks := v_looks + 1;
      v_group := array_position(v_groups, v_head.key);
      if v_group is null then
        v_groups := v_groups || v_head.key;
        v_group := cardinality(v_groups);
        if v_is_limited then
          select g.room, g.free_at into v_limit from lockstep.group_room(p_stage_id, v_head.key, v_room, p_now) g;
          v_rooms := v_rooms || v_limit.room;
          if v_limit.room <= 0 then
            free_at := least(free_at, v_limit.free_at);
          end if;
        else
          v_rooms := v_rooms || v_room;
        end if;
      end if;
      if v_rooms[v_group] > 0 then
        v_line_groups := v_line_groups || v_group;
        v_line_lanes := v_line_lanes || v_lane;
        v_line_levels := v_line_levels || case
          when v_ageing is null then v_lane
          else greatest(1, v_lane - floor(date_part('epoch', p_now - v_head.ready_at) / date_part('epoch', v_ageing)))
        end::integer;
        v_line_after := v_line_after || v_head.position - 1;
        -- Each of them gives one at least.
        exit lanes when v_ageing is null and cardinality(v_line_groups) >= v_room;
      end if;
      exit lanes when v_looks >= v_most_looks;
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
      exit when v_room <= 0 or cardinality(v_lines) = 0;
      v_share := ceil(v_room::double precision / cardinality(v_lines));

      for v_index in 1 .. cardinality(v_lines) loop
        exit when v_room <= 0;
        v_group := v_line_groups[v_lines[v_index]];
        v_ask := least(v_share, v_rooms[v_group], v_room);
        if v_groups[v_group] = '' then
          select array_agg(w.ctid order by w.position) as ctids, array_agg(w.id order by w.position) as ids, max(w.position) as position, count(*)::integer as jobs
          into v_got
          from (
            select j.ctid, j.id, j.position, j.ready_at
            from lockstep.jobs j
            where j.stage_id = p_stage_id and j.priority = v_line_lanes[v_lines[v_index]] and j.listed_as = 'pending' and j.status = 'pending'
              and not j.suspect and j.group_key is null and j.position > v_line_after[v_lines[v_index]]
              and (j.start_by is null or j.start_by > p_now)
            order by j.position
            limit v_ask
            for update skip locked
          ) w
          where v_ageing is null or w.ready_at <= p_now - v_ageing * (v_line_lanes[v_lines[v_index]] - v_level);
        else
          select array_agg(w.ctid order by w.position) as ctids, array_agg(w.id order by w.position) as ids, max(w.position) as position, count(*)::integer as jobs
          into v_got
          from (
            select j.ctid, j.id, j.position, j.ready_at
            from lockstep.jobs j
            where j.stage_id = p_stage_id and j.priority = v_line_lanes[v_lines[v_index]] and j.listed_as = 'pending'
              and not j.suspect and j.group_key is not null and j.group_key collate "C" = v_groups[v_group]
              and j.position > v_line_after[v_lines[v_index]]
              and (j.start_by is null or j.start_by > p_now)
            order by j.group_key collate "C", j.position
            limit v_ask
            for update skip locked
          ) w
          where v_ageing is null or w.ready_at <= p_now - v_ageing * (v_line_lanes[v_lines[v_index]] - v_level);
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
        if v_got.jobs < v_ask then
          -- Its line is at its end, or what comes next in it is less urgent: later, with that.
          v_line_levels[v_lines[v_index]] := case
            when v_ageing is null or v_got.jobs = 0 and v_level >= v_line_lanes[v_lines[v_index]] then 21
            else v_level + 1
          end;
        end if;
      end loop;
    end loop;
    exit when v_room <= 0;
  end loop;

  if v_looks >= v_most_looks and cardinality(picked) = 0 then
    v_turn_key := v_key;    -- the next look goes on from there
  end if;
  update lockstep.stage_gates g set turn_key = v_turn_key where g.stage_id = p_stage_id and g.turn_key <> v_turn_key;
  if cardinality(picked) > 0 then
    perform lockstep.use_rates(p_stage_id, v_keys, p_now);
  end if;
end;
$$;
