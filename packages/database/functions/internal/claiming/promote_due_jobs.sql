-- Makes due jobs (scheduled or retrying) pending, at most 1000 of each stage. Returns how many.
-- It is part of every claim, so that no separate process is needed that could be missing.
create or replace function lockstep.promote_due_jobs(
  p_stage_ids integer[],
  p_due_after timestamptz[] default null,
  p_now timestamptz default clock_timestamp()
)
returns integer
language sql
security definer
set search_path = pg_catalog, pg_temp
as $$
  with due as materialized (
    select d.id, s.stage_id, d.status
    from unnest(p_stage_ids, p_due_after) as s (stage_id, due_after)
    -- what waits for a signal does not become pending (end_due_waits)
    join lockstep.stages k on k.id = s.stage_id and k.kind = 'work'
    cross join lateral (
      select j.id, j.status
      from lockstep.jobs j
      where j.stage_id = s.stage_id
        and j.position is null
        and j.scheduled_for > coalesce(s.due_after, '-infinity')
        and j.scheduled_for <= p_now
      order by j.scheduled_for
      limit 1000
      for update skip locked
    ) d
  ),
  promoted as (
    update lockstep.jobs j
    set status = 'pending',
        position = nextval('lockstep.job_positions')
    from due
    where lockstep.is_same_id(j.id, due.id)
  ),
  counted as (
    insert into lockstep.stage_moves (at, stage_id, moved_from, moved_to, jobs, wakes_for)
    select p_now, due.stage_id, due.status::text, 'pending', count(*), count(*)
    from due
    group by due.stage_id, due.status
  )
  select count(*)::integer from due;
$$;
