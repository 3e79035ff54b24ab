-- Whether the work is done: live workers for every stage, overdue jobs, schedules, and tables for the coming days.
create or replace function lockstep.diagnose_work(p_now timestamptz default clock_timestamp())
returns table (check_name text, severity text, finding text, advice text, repair_sql text)
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  return query
    select 'partitions', 'warn', format('the table lockstep.%I for %s is missing: its rows go to the default table', p.name, p.day),
      'A running worker creates it within the hour; or create it now.',
      'select lockstep.create_partitions();'
    from (
      select k.kind || '_' || to_char(d.day, 'YYYYMMDD') as name, d.day
      from unnest(array['completed_jobs', 'unsuccessful_jobs', 'events', 'stream_chunks']) as k (kind)
      cross join (select (p_now at time zone 'UTC')::date + n as day from generate_series(0, 2) as n) d
    ) p
    where to_regclass(format('lockstep.%I', p.name)) is null
    order by p.day, p.name
    limit 3;
  if not found then
    return query select 'partitions', 'ok', 'the tables for the finished jobs, events and streams of the next days exist', null, null;
  end if;

  return query
    select 'workers',
      case when w.holding > 0 then 'bad' else 'ok' end,
      case when w.holding > 0
        then format('%s jobs are held by workers whose lease ended more than a minute ago, and nobody has taken them back', w.holding)
        else format('%s workers are alive', w.alive)
      end,
      case when w.holding > 0 then 'Start a worker, which takes them back within seconds, or take them back now.' end,
      case when w.holding > 0 then 'select lockstep.reset_stalled_jobs();' end
    from (
      select
        count(*) filter (where r.lost_at is null and r.lease_until > p_now) as alive,
        coalesce(sum(h.jobs) filter (where r.lease_until < p_now - interval '1 minute'), 0) as holding
      from lockstep.workers r
      cross join lateral (
        select count(*) as jobs from lockstep.held_jobs(r.id)
      ) h
    ) w;

  return query
    select 'served stages', case when sum(q.jobs) filter (where q.status = 'pending') > 0 then 'bad' else 'warn' end,
      format('%s/%s has %s waiting jobs, but no live worker serves it', q.pipeline, q.stage, sum(q.jobs)),
      'Start a worker that has this pipeline.', null
    from lockstep.queue_stats() q
    where q.status in ('scheduled', 'pending', 'retrying')
      and q.jobs > 0
      and not q.paused
      and not exists (
        select
        from lockstep.workers w
        join lockstep.stages s on s.id = any (w.stage_ids)
        join lockstep.pipelines p on p.id = s.pipeline_id
        where w.lost_at is null and w.lease_until > p_now and p.name = q.pipeline and s.name = q.stage
      )
    group by q.pipeline, q.stage
    order by 2, 3
    limit 10;
  if not found then
    return query select 'served stages', 'ok', 'a live worker serves every stage in which jobs wait', null, null;
  end if;

  return query
    select 'paused stages', 'warn', format('%s/%s has been paused since %s, and %s jobs wait there', p.name, s.name, s.paused_at, q.jobs),
      'Resume it if the pause is no longer needed.',
      format('select lockstep.resume_stage(%L, %L);', p.name, s.name)
    from lockstep.stages s
    join lockstep.pipelines p on p.id = s.pipeline_id
    join lockstep.queue_stats() q on q.pipeline = p.name and q.stage = s.name and q.status = 'pending' and q.jobs > 0
    where s.paused_at is not null
    order by s.paused_at
    limit 10;

  return query
    select 'overdue jobs', 'warn',
      format('job %s of %s/%s was due at %s and has not started, although a live worker serves the stage', d.id, p.name, s.name, d.scheduled_for),
      'All processors of the stage may be busy, or a limit may hold it back: ask explain_job.',
      format('select * from lockstep.explain_job(%L);', d.id)
    from lockstep.stages s
    join lockstep.pipelines p on p.id = s.pipeline_id
    cross join lateral (
      select j.id, j.scheduled_for
      from lockstep.jobs j
      where j.stage_id = s.id and j.position is null and j.scheduled_for < p_now - interval '1 minute'
      order by j.scheduled_for
      limit 1
    ) d
    where s.paused_at is null
      and exists (
        select from lockstep.workers w
        where w.lost_at is null and w.lease_until > p_now and s.id = any (w.stage_ids)
      )
    order by d.scheduled_for
    limit 5;
  if not found then
    return query select 'overdue jobs', 'ok', 'no due job has waited for more than a minute', null, null;
  end if;

  return query
    select 'schedules', 'warn', format('schedule %s cannot add its jobs: %s', s.name, s.problem),
      'Correct the schedule where it is set.', null
    from lockstep.schedules s
    where s.problem is not null
    order by s.name
    limit 5;

  return query
    select 'notifications', 'warn',
      format('the notification queue of PostgreSQL is %s %% full', round(100 * pg_notification_queue_usage()::numeric)),
      'A session that listens has a transaction open and so reads no notifications: end that transaction.', null
    where pg_notification_queue_usage() > 0.5;
end;
$$;
