-- Moves a schedule on to its next tick and adds the job of the tick that has come, in one transaction. If several workers try,
-- the one wins that still finds the schedule as it saw it: p_revision and p_due are what due_schedules returned.
-- p_tick is the tick to add a job for: p_due itself, a later one that stands for all missed ticks, or null for none.
-- Answers fired, moved, taken (another worker was faster, or the schedule was changed) or not_due; problem is a sentence for people.
create or replace function lockstep.fire_schedule(
  p_name text,
  p_revision uuid,
  p_due timestamptz,
  p_tick timestamptz,
  p_next timestamptz,
  p_now timestamptz default clock_timestamp()
)
returns table (answer text, job_id uuid, problem text)
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_schedule lockstep.schedules;
  v_tags text[];
  v_job_id uuid;
  v_is_there boolean := false;    -- whether the job of this tick exists
  v_created boolean;
  v_problem text;
begin
  if p_tick > p_now then
    return query select 'not_due', null::uuid, null::text;
    return;
  end if;
  if p_next is null or p_next <= coalesce(p_tick, p_due, '-infinity') then
    raise exception 'Schedule "%" cannot move from % to %: the next tick must be later.', p_name,
      coalesce(p_tick, p_due), p_next using errcode = 'LS001';
  end if;

  -- Whoever has locked the row is about to move it, so waiting would be of no use.
  select * into v_schedule
  from lockstep.schedules s
  where s.name = p_name and s.revision = p_revision and s.next_at is not distinct from p_due and s.paused_at is null
  for update skip locked;
  if not found then
    return query select 'taken', null::uuid, null::text;
    return;
  end if;

  if p_tick is not null then
    v_tags := array['schedule:' || p_name, 'tick:' || lockstep.tick_text(p_tick)];
    -- The id follows from the name and the tick, so that a tick never gets two jobs.
    v_job_id := lockstep.tick_job_id(p_name, p_tick);
    select coalesce(k.tags @> v_tags, false) into v_is_there
    from (
      select j.tags from lockstep.jobs j where j.id = v_job_id
      union all
      select f.tags
      from lockstep.finished_jobs f
      where f.pipeline_id = any (array(select p.id from lockstep.pipelines p)) and f.id = v_job_id
    ) k
    limit 1;
    if not v_is_there then
      v_job_id := lockstep.new_job_id(p_now);
      v_problem := format(
        'The id for the tick at %s is taken by a job that is not of this schedule. The job of the tick was added under another id: %s.',
        lockstep.tick_text(p_tick), v_job_id
      );
    end if;
  end if;

  if p_tick is not null and v_is_there is not true then
    select a.created into v_created
    from lockstep.pipelines p
    cross join lateral lockstep.add_jobs(
      jsonb_build_array(jsonb_build_object(
        'id', v_job_id,
        'pipeline', p.name,
        'payload', v_schedule.payload,
        'priority', v_schedule.priority,
        'owner', v_schedule.owner,
        'groupKey', v_schedule.group_key,
        'tags', v_tags || v_schedule.tags
      )),
      p_now => p_now
    ) a
    where p.id = v_schedule.pipeline_id;
    if not v_created then
      -- Taken since the lookup above; the next call finds it.
      raise exception 'The id % for a tick of schedule "%" was taken in the meantime.', v_job_id, p_name using errcode = '40001';
    end if;
  end if;

  update lockstep.schedules s
  set
    next_at = p_next,
    look_at = p_next,
    last_at = coalesce(p_tick, s.last_at),
    last_job_id = coalesce(v_job_id, s.last_job_id),
    problem = v_problem
  where s.name = p_name;
  return query select case when p_tick is null then 'moved' else 'fired' end, v_job_id, v_problem;
end;
$$;
