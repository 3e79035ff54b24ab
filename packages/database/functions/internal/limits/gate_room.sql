-- How many jobs a stage may start now, and in free_at when it may start more, if that depends on the time. The caller has locked the gate.
create or replace function lockstep.gate_room(
  p_stage_id integer,
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
  v_stage lockstep.stages;
  v_gate lockstep.stage_gates;
  v_limit record;
begin
  select g.* into v_gate from lockstep.stage_gates g where g.stage_id = p_stage_id;
  select s.* into v_stage from lockstep.stages s where s.id = p_stage_id;
  room := p_room;
  if v_stage.concurrency is not null then
    room := least(room, v_stage.concurrency - lockstep.counted_jobs(p_stage_id, null, v_stage.concurrency));
  end if;
  if v_stage.rate_jobs is not null then
    select r.room, r.free_at into v_limit
    from lockstep.rate_room(v_stage.rate_jobs, v_stage.rate_per_ms, v_gate.used_jobs, v_gate.used_until, p_now) r;
    if v_limit.room < room then
      room := v_limit.room;
      free_at := v_limit.free_at;
    end if;
  end if;
  if v_stage.breaker ->> 'per' = 'stage' and room > 0 then
    select b.room, b.free_at into v_limit from lockstep.breaker_room(p_stage_id, '', v_stage.breaker, room, p_now) b;
    room := v_limit.room;
    free_at := coalesce(v_limit.free_at, free_at);
  end if;
end;
$$;
