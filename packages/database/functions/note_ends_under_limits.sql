-- What a stage with limits learns from attempts that ended there: its circuit breaker their outcomes, and the workers that
-- sleep for it, at commit, that there may be room again.
create or replace function lockstep.note_ends_under_limits(p_moves lockstep.job_move[], p_now timestamptz)
returns void
language sql
security definer
set search_path = pg_catalog, pg_temp
as $$
  with ended as (
    select m.stage_id, m.group_key,
      m.moved_to in ('', 'completed') as is_done,
      m.moved_to in ('retrying', 'failed') as is_failed
    from unnest(p_moves) m
    where m.counted and m.moved_from = 'processing'
  ),
  recorded as (
    insert into lockstep.attempt_outcomes (stage_id, group_key, at, done, failed)
    select e.stage_id, case when s.breaker ->> 'per' = 'group' then coalesce(e.group_key, '') else '' end, p_now,
      count(*) filter (where e.is_done), count(*) filter (where e.is_failed)
    from ended e
    join lockstep.stages s on s.id = e.stage_id
    where s.breaker is not null and (e.is_done or e.is_failed)
    group by 1, 2
  )
  -- a move of no jobs wakes as one of some does: when it is seen, and whoever sleeps then
  insert into lockstep.stage_moves (at, stage_id, moved_from, moved_to, jobs)
  select distinct p_now, e.stage_id, '', 'pending', 0
  from ended e;
$$;
