-- The busy worker's loop in one call: settles what has ended (p_ids, p_tokens, p_ends and p_addresses, as settle_jobs takes
-- them), then claims what there is room for, under p_claim_token: a claim is the pair of job and token, so that one fresh
-- token serves a whole call. Null draws one for each job.
-- One element per stage: how many jobs to take (p_rooms), where its lanes were left off (p_places: the position
-- last claimed from, 20 priorities per stage), how to look (p_scans), and up to when due jobs were promoted (p_due_after).
--   0  from the place on
--   1  from the place on, and from the start when that comes back short
--   2  from the start
-- Rows, by kind: settled (as settle_jobs), claimed (with the address of its row, for p_addresses), stage (whether room is
-- left, how long the look from the start took, when the next job is due, up to when due jobs are promoted now), shared
-- (others have just claimed from the same line), suspect (this worker should make itself free: a job waits that must run
-- alone), lost (this worker's lease is over).
create or replace function lockstep.settle_and_claim(
  p_worker_id uuid,
  p_claim_token uuid,
  p_ids uuid[],
  p_tokens uuid[],
  p_ends jsonb,
  p_stage_ids integer[],
  p_rooms integer[],
  p_places bigint[],
  p_scans integer[],
  p_due_after timestamptz[],
  p_addresses tid[] default null,
  p_now timestamptz default clock_timestamp()
)
returns table (
  kind text,
  id uuid,
  stage_id integer,
  attempt smallint,
  priority smallint,
  "position" bigint,
  owner text,
  tags text[],
  payload jsonb,
  outputs jsonb,
  detail jsonb,
  address tid
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
#variable_conflict use_column
declare
  v_is_alive boolean;
  v_open integer[];
  v_gated integer[];
  v_in_turns integer[];
  v_picked tid[];
  v_turn_ids uuid[];       -- what was picked in turns, in their order
  v_lanes smallint[];      -- of what was picked otherwise, the priorities and the positions
  v_positions bigint[];
  v_picked_noted uuid[];
  v_noted_ids uuid[];
  v_free_at timestamptz;
  v_has_suspect boolean;
  v_is_shared boolean := false;
  v_first_due timestamptz;
  v_promoted integer := 0;
  v_stage_id integer;
  v_room integer;
  v_after bigint[];
  v_started timestamptz;
  v_scan_ms double precision;
  v_next_due timestamptz;
  v_nothing constant bigint[] := array_fill(0::bigint, array[20]);
begin
  if cardinality(p_ids) > 0 then
    return query
      select 'settled', s.job_id, null::integer, null::smallint, null::smallint, null::bigint,
        null::text, null::text[], null::jsonb, null::jsonb,
        jsonb_build_object('answer', s.answer, 'status', s.status), null::tid
      from lockstep.settle_jobs(p_ids, p_tokens, p_ends, p_stage_ids, p_places, p_claim_token, p_addresses, p_now) s;
  elsif p_ids is not null then
    -- A claim forgotten in a crash of PostgreSQL leaves the job pending; the fence refuses its old holder.
    -- (claim_jobs gives null: its caller's transaction may hold more than the claim.)
    perform set_config('synchronous_commit', 'off', true);
  end if;

  if coalesce(cardinality(p_stage_ids), 0) = 0 then
    return;
  end if;

  -- One statement: an idle worker's call is mostly the overhead of these. Each look into the jobs has an order, which only
  -- its own index has: without one, an "exists" on fresh tables was planned as a walk through all that wait.
  select
    exists (
      select from lockstep.workers w where w.id = p_worker_id and w.lost_at is null and w.lease_until > p_now
    ),
    coalesce(array_agg(s.id) filter (where s.paused_at is null), '{}'),
    coalesce(array_agg(s.id) filter (where s.is_gated), '{}'),
    coalesce(array_agg(s.id) filter (where
      s.is_gated
      or p.ageing_ms is not null
      or (
        select true
        from lockstep.jobs j
        where j.stage_id = s.id and j.listed_as = 'pending' and not j.suspect and j.group_key is not null
        order by j.priority, j.group_key collate "C", j.position
        limit 1
      )
    ), '{}'),
    (select true from lockstep.jobs j where j.suspect order by j.stage_id, j.position limit 1),
    (
      select min(j.scheduled_for)
      from unnest(p_stage_ids, p_due_after) as d (id, due_after)
      cross join lateral (
        select j.scheduled_for
        from lockstep.jobs j
        where j.stage_id = d.id
          and j.listed_as in ('scheduled', 'retrying')
          and j.scheduled_for > coalesce(d.due_after, '-infinity')
        order by j.scheduled_for
        limit 1
      ) j
    )
  into v_is_alive, v_open, v_gated, v_in_turns, v_has_suspect, v_first_due
  from lockstep.stages s
  join lockstep.pipelines p on p.id = s.pipeline_id
  where s.id = any (p_stage_ids);

  if not v_is_alive then
    kind := 'lost';
    return next;
    return;
  end if;

  if cardinality(v_in_turns) > 0 then
    p_now := p_now + lockstep.lock_gates(v_in_turns);
  end if;

  if v_has_suspect then
    if exists (select from lockstep.jobs j where j.suspect and j.status = 'processing' and j.worker_id = p_worker_id) then
      return;   -- what it runs, it runs alone
    end if;
    if exists (select from lockstep.jobs j where j.suspect and j.status = 'pending' and j.stage_id = any (v_open)) then
      if not exists (select from lockstep.held_jobs(p_worker_id)) then
        return query
          select *
          from lockstep.claim_suspect(
            p_worker_id,
            p_claim_token,
            array(
              select s.id from unnest(p_stage_ids, p_rooms) as s (id, room)
              where s.room > 0 and s.id = any (v_open)
                and (s.id <> all (v_gated) or (select g.room > 0 from lockstep.gate_room(s.id, 1, p_now) g))
              order by s.id
            ),
            p_now
          );
        if found then
          perform lockstep.log_claims(array(select j.id from lockstep.jobs j where j.held_by = p_worker_id), p_now);
          return;
        end if;
      elsif lockstep.frees_itself(p_worker_id, v_open, p_now) then
        kind := 'suspect';
        return next;
        return;
      end if;
    end if;
  end if;

  if v_first_due <= p_now then
    v_promoted := lockstep.promote_due_jobs(p_stage_ids, p_due_after, p_now);
  end if;

  for v_index in 1 .. cardinality(p_stage_ids) loop
    v_stage_id := p_stage_ids[v_index];
    v_room := p_rooms[v_index];
    continue when v_room <= 0 or v_stage_id <> all (v_open);
    v_scan_ms := null;
    v_turn_ids := null;
    v_lanes := null;
    v_positions := null;
    v_free_at := null;

    for v_look in (case when p_scans[v_index] = 2 then 2 else 1 end) .. (case when p_scans[v_index] = 0 then 1 else 2 end) loop
      v_started := clock_timestamp();
      if v_stage_id = any (v_in_turns) then
        v_after := case when v_look = 2 then v_nothing else p_places[(v_index - 1) * 20 + 1 : v_index * 20] end;
        select nullif(t.picked, '{}'), t.picked_ids, t.picked_ids, t.free_at
        into v_picked, v_picked_noted, v_turn_ids, v_free_at
        from lockstep.pick_in_turns(v_stage_id, v_room, v_after, p_now) t;
      elsif v_look = 2 then
        -- The same as with all places at nothing, but one walk instead of twenty: what an idle worker does.
        select array_agg(w.ctid), array_agg(w.id) filter (where w.noted), array_agg(w.priority), array_agg(w.position)
        into v_picked, v_picked_noted, v_lanes, v_positions
        from (
          select j.ctid, j.id, j.noted, j.priority, j.position
          from lockstep.jobs j
          where j.stage_id = v_stage_id
            and j.listed_as = 'pending'
            and j.status = 'pending'
            and not j.suspect
            and j.group_key is null
            and (j.start_by is null or j.start_by > p_now)
          order by j.priority, j.position
          limit v_room
          for update skip locked
        ) w;
      else
        select array_agg(w.ctid), array_agg(w.id) filter (where w.noted), array_agg(w.priority), array_agg(w.position)
        into v_picked, v_picked_noted, v_lanes, v_positions
        from (
          select waiting.*
          from unnest(p_places[(v_index - 1) * 20 + 1 : v_index * 20]) with ordinality as place (after, lane)
          cross join lateral (
            select j.ctid, j.id, j.noted, j.priority, j.position
            from lockstep.jobs j
            where j.stage_id = v_stage_id
              and j.priority = place.lane
              and j.listed_as = 'pending'
              and j.status = 'pending'
              and not j.suspect
              and j.group_key is null
              and j.position > place.after
              and (j.start_by is null or j.start_by > p_now)
            order by j.position
            limit v_room
            for update skip locked
          ) waiting
          limit v_room
        ) w;
      end if;

      -- An update of no rows would open every index of the jobs all the same.
      if v_picked is not null then
        v_room := v_room - cardinality(v_picked);
        v_noted_ids := v_noted_ids || v_picked_noted;

        return query
          update lockstep.jobs j
          set status = 'processing',
              claim_token = coalesce(p_claim_token, gen_random_uuid()),
              worker_id = p_worker_id,
              claimed_at = p_now,
              attempt = j.attempt + 1,
              counted = v_stage_id = any (v_gated),
              -- By its range it is found without an entry in the indexes; by its turn, or its own token, only with one.
              listed_as = case when p_claim_token is null or v_turn_ids is not null then 'processing' else j.listed_as end,
              held_by = case when p_claim_token is null or v_turn_ids is not null then p_worker_id end
          where j.ctid = any (v_picked)
          returning 'claimed', j.id, v_stage_id, j.attempt, j.priority, j.position,
            j.owner, j.tags, j.payload, j.outputs,
            case when v_turn_ids is not null or j.batch_id is not null or j.trace is not null
              then jsonb_build_object(
                'groupKey', j.group_key, 'batchId', j.batch_id, 'trace', j.trace, 'turn', array_position(v_turn_ids, j.id)
              ) end,
            j.ctid;

        with moved as (
          insert into lockstep.stage_moves (at, stage_id, moved_from, moved_to, jobs)
          values (p_now, v_stage_id, 'pending', 'processing', cardinality(v_picked))
        )
        insert into lockstep.claimed_ranges (worker_id, claim_token, claimed_at, stage_id, priority, first_position, last_position)
        select p_worker_id, p_claim_token, p_now, v_stage_id, r.lane, min(r.position), max(r.position)
        from unnest(v_lanes, v_positions) as r (lane, position)
        where p_claim_token is not null
        group by r.lane;

        -- Asked for large claims alone: small ones hold up nobody, and it would be a good part of what they cost.
        if not v_is_shared and cardinality(v_picked) >= 100 then
          v_is_shared := exists (
            select
            from (
              select r.worker_id
              from lockstep.claimed_ranges r
              where r.stage_id = v_stage_id and r.claimed_at > p_now - interval '1 second'
              order by r.claimed_at desc
              limit 20
            ) r
            where r.worker_id <> p_worker_id
          );
        end if;
      end if;
      if v_look = 2 then
        v_scan_ms := date_part('epoch', clock_timestamp() - v_started) * 1000;
      end if;
      exit when v_room <= 0;
    end loop;

    if v_room > 0 or v_scan_ms is not null then
      -- None is due before the first of all stages.
      if v_first_due is not null then
        v_next_due := (
          select j.scheduled_for
          from lockstep.jobs j
          where j.stage_id = v_stage_id and j.listed_as in ('scheduled', 'retrying') and j.scheduled_for > p_now
          order by j.scheduled_for
          limit 1
        );
      end if;
      kind := 'stage';
      stage_id := v_stage_id;
      detail := jsonb_build_object(
        'isShort', v_room > 0,
        'scanMs', v_scan_ms,
        'nextDueMs', ceil(date_part('epoch', least(v_next_due, v_free_at) - p_now) * 1000),
        'promotedUpTo', case when v_promoted < 1000 then p_now end    -- else there may be more
      );
      return next;
    end if;
  end loop;

  if v_is_shared then
    kind := 'shared';
    stage_id := null;
    detail := null;
    return next;
  end if;

  -- Afterwards, by itself: to have the claim write them cost a tenth of it.
  if cardinality(v_noted_ids) > 0 then
    perform lockstep.log_claims(v_noted_ids, p_now);
  end if;
end;
$$;
