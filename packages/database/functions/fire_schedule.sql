-- Moves a schedule on to its next tick, and adds the job of the tick that has come, in one transaction. Of all workers that
-- try, the one that still finds the schedule as it saw it wins: p_revision and p_due are what due_schedules told it.
-- p_tick is the tick to add a job for: p_due itself, a later one that stands for all that were missed, or null for none.
-- Answers fired, moved, taken (another was faster, or it was changed) or not_due.
create or replace function lockstep.fire_schedule(
  p_name text,
  p_revision uuid,
  p_due timestamptz,
  p_tick timestamptz,
  p_next timestamptz,
  p_now timestamptz default clock_timestamp()
)
returns table (answer text, job_id uuid)
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_schedule lockstep.schedules;
  v_job_id uuid;
begin
  if p_tick > p_now then
    return query select 'not_due', null::uuid;
    return;
  end if;
  if p_next is null or p_next <= coalesce(p_tick, p_due, '-infinity') then
    raise exception 'Schedule "%" cannot move from % to %: the next tick must be a later one.', p_name,
      coalesce(p_tick, p_due), p_next using errcode = 'LS001';
  end if;

  -- Whoever holds the row is about to move it: no use in waiting for that.
  select * into v_schedule
  from lockstep.schedules s
  where s.name = p_name and s.revision = p_revision and s.next_at is not distinct from p_due and s.paused_at is null
  for update skip locked;
  if not found then
    return query select 'taken', null::uuid;
    return;
  end if;

  if p_tick is not null then
    -- The id follows from the name and the tick, so that one tick has one job, come what may.
    select a.id into v_job_id
    from lockstep.pipelines p
    cross join lateral lockstep.add_jobs(
      jsonb_build_array(jsonb_build_object(
        'id', lockstep.tick_job_id(p_name, p_tick),
        'pipeline', p.name,
        'payload', v_schedule.payload,
        'priority', v_schedule.priority,
        'owner', v_schedule.owner,
        'groupKey', v_schedule.group_key,
        'tags', array['schedule:' || p_name, 'tick:' || lockstep.tick_text(p_tick)] || v_schedule.tags
      )),
      p_now => p_now
    ) a
    where p.id = v_schedule.pipeline_id;
  end if;

  update lockstep.schedules s
  set
    next_at = p_next,
    look_at = p_next,
    last_at = coalesce(p_tick, s.last_at),
    last_job_id = coalesce(v_job_id, s.last_job_id),
    problem = null
  where s.name = p_name;
  return query select case when p_tick is null then 'moved' else 'fired' end, v_job_id;
end;
$$;
