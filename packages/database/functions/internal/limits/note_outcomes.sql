-- Records how attempts ended in stages with a circuit breaker.
create or replace function lockstep.note_outcomes(p_moves lockstep.job_move[], p_now timestamptz)
returns void
language sql
security definer
set search_path = pg_catalog, pg_temp
as $$
  insert into lockstep.attempt_outcomes (stage_id, group_key, at, done, failed)
  select e.stage_id, case when s.breaker ->> 'per' = 'group' then coalesce(e.group_key, '') else '' end, p_now,
    count(*) filter (where e.is_done), count(*) filter (where e.is_failed)
  from (
    select m.stage_id, m.group_key,
      m.moved_to in ('', 'completed') as is_done,
      m.moved_to in ('retrying', 'failed') as is_failed
    from unnest(p_moves) m
    where m.counted and m.moved_from = 'processing'
  ) e
  join lockstep.stages s on s.id = e.stage_id
  where s.breaker is not null and (e.is_done or e.is_failed)
  group by 1, 2;
$$;
