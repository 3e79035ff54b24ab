-- How many jobs of one group a stage may start now, and in free_at when it may start more, if that depends on the time. The caller has
-- locked the gate.
create or replace function lockstep.group_room(
  p_stage_id integer,
  p_group_key text,
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
  v_limit record;
begin
  select s.* into v_stage from lockstep.stages s where s.id = p_stage_id;
  room := p_room;
  if v_stage.group_concurrency is not null and p_group_key <> '' then
    room := least(
      room, v_stage.group_concurrency - lockstep.counted_jobs(p_stage_id, p_group_key, v_stage.group_concurrency)
    );
  end if;
  if v_stage.group_rate_jobs is not null and p_group_key <> '' then
    select r.room, r.free_at into v_limit
    from lockstep.group_rates g
    cross join lateral lockstep.rate_room(v_stage.group_rate_jobs, v_stage.group_rate_per_ms, g.used_jobs, g.used_until, p_now) r
    where g.stage_id = p_stage_id and g.group_key = p_group_key;
    if not found then
      room := least(room, v_stage.group_rate_jobs);
    elsif v_limit.room < room then
      room := v_limit.room;
      free_at := v_limit.free_at;
    end if;
  end if;
  if v_stage.breaker ->> 'per' = 'group' and room > 0 then
    select b.room, b.free_at into v_limit from lockstep.breaker_room(p_stage_id, p_group_key, v_stage.breaker, room, p_now) b;
    room := v_limit.room;
    free_at := coalesce(v_limit.free_at, free_at);
  end if;
end;
$$;
