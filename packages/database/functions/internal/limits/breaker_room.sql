-- How many jobs a circuit breaker lets through now. Closed: as many as asked for, unless too large a share of the attempts in its window
-- failed; then it opens. Open: none until its pause is over; waiting jobs lose no attempts. Then one job as a probe: if it is done, the
-- breaker closes; if it fails, the breaker opens again. The caller has locked the gate.
create or replace function lockstep.breaker_room(
  p_stage_id integer,
  p_group_key text,          -- '' for the whole stage, or for the jobs without a group
  p_breaker jsonb,
  p_room integer,
  p_now timestamptz,
  out room integer,
  out free_at timestamptz
)
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_breaker lockstep.open_breakers;
  v_pause interval := make_interval(secs => (p_breaker ->> 'pauseMs')::bigint / 1000.0);
  v_since timestamptz := p_now - make_interval(secs => (p_breaker ->> 'windowMs')::bigint / 1000.0);
  v_done bigint;
  v_failed bigint;
  v_last timestamptz;
begin
  select b.* into v_breaker
  from lockstep.open_breakers b
  where b.stage_id = p_stage_id and b.group_key = p_group_key;

  room := p_room;
  -- If it is open for longer than its pause, PostgreSQL's clock was set back since.
  if v_breaker.open_until > p_now and v_breaker.open_until <= p_now + v_pause + interval '10 seconds' then
    room := 0;
    free_at := v_breaker.open_until;
    return;
  end if;
  if v_breaker.open_until is not null then
    v_since := v_breaker.probed_at;
  end if;

  select coalesce(sum(o.done), 0), coalesce(sum(o.failed), 0), least(max(o.at), p_now) into v_done, v_failed, v_last
  from lockstep.attempt_outcomes o
  where o.stage_id = p_stage_id and o.group_key = p_group_key and o.at >= v_since;

  if v_breaker.open_until is null then
    if v_done + v_failed < (p_breaker ->> 'minAttempts')::integer
      or v_failed < (p_breaker ->> 'failureRate')::double precision * (v_done + v_failed) then
      return;
    end if;
  elsif v_breaker.probed_at is not null and v_failed = 0 and v_done > 0 then
    -- The outcomes so far are deleted too: the window begins again.
    delete from lockstep.open_breakers b where b.stage_id = p_stage_id and b.group_key = p_group_key;
    delete from lockstep.attempt_outcomes o
    where o.stage_id = p_stage_id and o.group_key = p_group_key and o.at <= p_now;
    return;
  elsif v_breaker.probed_at is null or v_failed = 0 then
    -- There is no probe yet, or it ended without success or failure. One is let through if no job is running.
    room := case
      when lockstep.counted_jobs(
        p_stage_id, case when p_breaker ->> 'per' = 'group' then p_group_key end, 1
      ) = 0 then 1 else 0 end;
    if room = 1 then
      update lockstep.open_breakers b set probed_at = p_now
      where b.stage_id = p_stage_id and b.group_key = p_group_key;
    end if;
    return;
  end if;

  -- The pause counts from the last attempt, even if nobody has looked since.
  room := case when v_last + v_pause > p_now then 0 else 1 end;
  free_at := case when room = 0 then v_last + v_pause end;
  insert into lockstep.open_breakers as b (stage_id, group_key, opened_at, open_until, probed_at)
  values (p_stage_id, p_group_key, v_last, v_last + v_pause, case when room = 1 then p_now end)
  on conflict (stage_id, group_key) do update set open_until = excluded.open_until, probed_at = excluded.probed_at;
end;
$$;
