-- How many jobs each stage has in each status, from the counters: the cost does not grow with the number of jobs.
-- Finished jobs are counted since the pipeline was first defined, minus those that were retried.
create or replace function lockstep.queue_stats()
returns table (pipeline text, stage text, status lockstep.job_status, jobs bigint, paused boolean)
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  with counts as (
    select c.stage_id, c.status::text as status, c.jobs from lockstep.stage_counts c
    union all
    select m.stage_id, m.moved_to, m.jobs from lockstep.stage_moves m where m.moved_to <> ''
    union all
    select m.stage_id, m.moved_from, -m.jobs from lockstep.stage_moves m where m.moved_from <> ''
  )
  select p.name, s.name, k.status, coalesce(sum(c.jobs), 0)::bigint, s.paused_at is not null
  from lockstep.stages s
  join lockstep.pipelines p on p.id = s.pipeline_id
  cross join unnest(enum_range(null::lockstep.job_status)) as k (status)
  left join counts c on c.stage_id = s.id and c.status = k.status::text
  group by p.name, s.id, s.name, s.ordinal, s.paused_at, k.status
  having s.ordinal is not null or sum(c.jobs) > 0
  order by p.name, s.ordinal, s.id, k.status;
$$;
