-- One round of a busy worker in one call. First it settles what has ended (p_ids, p_tokens and p_ends, as in settle_jobs).
-- Then it claims as many jobs as there is room for, under p_claim_token. A claim is known by its job and token together, so one new token
-- serves for a whole call; null draws one for each job.
-- For each stage there is one element in p_rooms (how many jobs to take), p_scans (how to look) and p_due_after (up to when due jobs
-- were promoted), and 20 in p_places (the last position that was claimed in each lane). The values of p_scans are
--   0  from the place on
--   1  from the place on, and from the start if that finds too few
--   2  from the start
-- The rows are of these kinds:
--   settled  as settle_jobs returns it
--   claimed  a job that is now held
--   stage    whether room is left, how long the look from the start took, when the next job is due, and up to when due jobs are promoted now
--   shared   other workers have just claimed from the same line
--   suspect  a job waits that must run alone, and this worker should run dry for it
--   present  PostgreSQL has crashed and may have lost claims: this worker gets no jobs until it has called present_claims
--   lost     the lease of this worker is over
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
  p_now timestamptz default clock_timestamp()
)
returns setof lockstep.exchange_row
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_answer lockstep.exchange_row;
  v_look record;                 -- of claim_outlook
  v_stage_id integer;
  v_room integer;
  v_places bigint[];
  v_is_in_turns boolean;
  v_picked tid[];
  v_picked_noted uuid[];
  v_turn_ids uuid[];             -- jobs picked in turns, in their order
  v_lanes smallint[];            -- priorities and positions of jobs picked otherwise
  v_positions bigint[];
  v_noted_ids uuid[];
  v_free_at timestamptz;
  v_is_shared boolean := false;
  v_promoted integer := 0;
  v_started timestamptz;
  v_scan_ms double precision;
  v_next_due timestamptz;
  v_called_at constant timestamptz := clock_timestamp();
  v_nothing constant bigint[] := array_fill(0::bigint, array[20]);
begin
  -- Settle.
  if cardinality(p_ids) > 0 then
    return query
      select 'settled', s.job_id, null::integer, null::smallint, null::smallint, null::bigint,
        null::text, null::text[], null::jsonb, null::jsonb,
        jsonb_build_object('answer', s.answer, 'status', s.status)
      from lockstep.settle_jobs(p_ids, p_tokens, p_ends, p_stage_ids, p_places, p_claim_token, p_now) s;
  elsif p_ids is not null then
    -- If a crash of PostgreSQL loses the claim, the job is pending until its holder presents the claim.
    -- (claim_jobs passes null, since its caller's transaction may write more than the claim.)
    perform set_config('synchronous_commit', 'off', true);
  end if;
  if coalesce(cardinality(p_stage_ids), 0) = 0 then
    return;
  end if;

  -- Check the lease.
  select * into v_look from lockstep.claim_outlook(p_worker_id, p_stage_ids, p_due_after, p_now);
  if v_look.is_alive is not true then
    v_answer.kind := 'lost';
    return next v_answer;
    return;
  end if;

  -- After a crash of PostgreSQL, the worker must present its claims first.
  if v_look.is_known is not true then
    if p_claim_token is not null then
      v_answer.kind := 'present';
      return next v_answer;
      return;
    end if;
    -- claims of claim_jobs are on disk, so that a crash cannot lose them
    perform lockstep.present_claims(p_worker_id, p_now => p_now);
    select e.began_at into v_look.epoch_began from lockstep.claim_epoch e where e.is_current;
  end if;
  if p_now >= v_look.epoch_began and p_now < v_look.epoch_began + interval '3 seconds' and lockstep.are_claims_awaited(p_now) then
    v_answer.kind := 'stage';
    v_answer.detail := jsonb_build_object('isShort', true, 'scanMs', null, 'nextDueMs', 100, 'promotedUpTo', null);
    foreach v_stage_id in array p_stage_ids loop
      v_answer.stage_id := v_stage_id;
      return next v_answer;
    end loop;
    return;
  end if;

  -- Lock the gates of stages with limits or turns.
  if cardinality(v_look.turn_stages) > 0 then
    p_now := lockstep.lock_gates(v_look.turn_stages, v_called_at, p_now);
  end if;
  -- Then those of their budgets, and let jobs go on that have waited for one.
  if v_look.spending_stages is not null then
    perform lockstep.begin_spending(v_look.spending_stages, p_now);
    -- Asked again, since what settled while this call waited for the locks may be due by now.
    select o.first_due into v_look.first_due from lockstep.claim_outlook(p_worker_id, p_stage_ids, p_due_after, p_now) o;
  end if;

  -- Take a suspect, or make room for one.
  if v_look.has_suspect then
    case lockstep.part_in_suspects(p_worker_id, v_look.open_stages, p_now)
      when 'alone' then
        return;
      when 'free' then
        v_answer.kind := 'suspect';
        return next v_answer;
        return;
      when 'take' then
        return query
          select *
          from lockstep.claim_suspect(
            p_worker_id,
            p_claim_token,
            array(
              select s.id from unnest(p_stage_ids, p_rooms) as s (id, room)
              where s.room > 0 and s.id = any (v_look.open_stages)
                and (s.id <> all (v_look.gated_stages) or (select g.room > 0 from lockstep.gate_room(s.id, 1, p_now) g))
              order by s.id
            ),
            p_now
          );
        if found then
          perform lockstep.log_claims(array(select j.id from lockstep.jobs j where j.held_by = p_worker_id), p_now);
          return;
        end if;
      else
        null;
    end case;
  end if;

  -- Promote what is due.
  if v_look.first_due <= p_now then
    v_promoted := lockstep.promote_due_jobs(p_stage_ids, p_due_after, p_now);
  end if;

  -- Claim each stage.
  for v_index in 1 .. cardinality(p_stage_ids) loop
    v_stage_id := p_stage_ids[v_index];
    v_room := p_rooms[v_index];
    continue when v_room <= 0 or v_stage_id <> all (v_look.open_stages);
    v_is_in_turns := v_stage_id = any (v_look.turn_stages);
    v_scan_ms := null;
    v_free_at := null;

    -- Look 1 is from the place on, look 2 from the start.
    for v_number in (case when p_scans[v_index] = 2 then 2 else 1 end) .. (case when p_scans[v_index] = 0 then 1 else 2 end) loop
      v_started := clock_timestamp();
      v_places := case when v_number = 1 then p_places[(v_index - 1) * 20 + 1 : v_index * 20] end;
      if v_is_in_turns then
        select nullif(t.picked, '{}'), t.picked_ids, t.picked_ids, null, null, t.free_at
        into v_picked, v_picked_noted, v_turn_ids, v_lanes, v_positions, v_free_at
        from lockstep.pick_in_turns(v_stage_id, v_room, coalesce(v_places, v_nothing), p_now) t;
      else
        select w.picked, w.noted_ids, w.lanes, w.positions
        into v_picked, v_picked_noted, v_lanes, v_positions
        from lockstep.pick_waiting_jobs(v_stage_id, v_room, v_places, p_now) w;
      end if;

      -- An update of no rows would still open every index of jobs.
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
              counted = v_stage_id = any (v_look.gated_stages),
              -- A range finds the job without new index entries. A job picked in turns, or with a token of its own, has no range.
              held_by = case when p_claim_token is null or v_is_in_turns then p_worker_id end
          where j.ctid = any (v_picked)
          returning 'claimed', j.id, v_stage_id, j.attempt, j.priority, j.position,
            j.owner, j.tags, j.payload, j.outputs,
            case when v_is_in_turns or j.batch_id is not null or j.trace is not null
              then jsonb_build_object(
                'groupKey', j.group_key, 'batchId', j.batch_id, 'trace', j.trace, 'turn', array_position(v_turn_ids, j.id)
              ) end;

        with moved as (
          insert into lockstep.stage_moves (at, stage_id, moved_from, moved_to, jobs)
          values (p_now, v_stage_id, 'pending', 'processing', cardinality(v_picked))
        )
        insert into lockstep.claimed_ranges (worker_id, claim_token, claimed_at, stage_id, priority, first_position, last_position)
        select p_worker_id, p_claim_token, p_now, v_stage_id, r.lane, min(r.position), max(r.position)
        from unnest(v_lanes, v_positions) as r (lane, position)
        where p_claim_token is not null
        group by r.lane;

        -- Only for large claims: small ones delay nobody, and the question would be a large part of their cost.
        if not v_is_shared and cardinality(v_picked) >= 100 then
          v_is_shared := lockstep.is_line_shared(v_stage_id, p_worker_id, p_now);
        end if;
      end if;
      if v_number = 2 then
        v_scan_ms := date_part('epoch', clock_timestamp() - v_started) * 1000;
      end if;
      exit when v_room <= 0;
    end loop;

    -- Report on the stage, if there is something to report.
    if v_room > 0 or v_scan_ms is not null then
      -- If no stage has a job that waits for a time, neither has this one.
      if v_look.first_due is not null then
        v_next_due := (
          select j.scheduled_for
          from lockstep.jobs j
          where j.stage_id = v_stage_id and j.position is null and j.scheduled_for > p_now and j.scheduled_for < lockstep.never()
          order by j.scheduled_for
          limit 1
        );
      end if;
      v_answer.kind := 'stage';
      v_answer.stage_id := v_stage_id;
      v_answer.detail := jsonb_build_object(
        'isShort', v_room > 0,
        'scanMs', v_scan_ms,
        'nextDueMs', ceil(date_part('epoch', least(v_next_due, v_free_at) - p_now) * 1000),
        'promotedUpTo', case when v_promoted < 1000 then p_now end    -- otherwise there may be more
      );
      return next v_answer;
    end if;
  end loop;

  if v_is_shared then
    v_answer := null;
    v_answer.kind := 'shared';
    return next v_answer;
  end if;

  -- Write the claims of noted jobs to the realtime log. Not in the claiming statement, which took a tenth longer with it.
  if cardinality(v_noted_ids) > 0 then
    perform lockstep.log_claims(v_noted_ids, p_now);
  end if;
end;
$$;
