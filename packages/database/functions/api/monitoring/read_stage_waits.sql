-- For each stage, how many live workers serve it, for how long its longest-waiting job could have been claimed, and for how long its
-- most overdue scheduled or retrying job has been due. Null: no such job.
-- A few index lookups per stage, however many jobs there are.
create or replace function lockstep.read_stage_waits(p_now timestamptz default clock_timestamp())
returns table (pipeline text, stage text, live_workers integer, pending_ms double precision, overdue_ms double precision)
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  select
    p.name, s.name,
    (
      select count(*)::integer
      from lockstep.workers w
      where w.lost_at is null and w.lease_until > p_now and s.id = any (w.stage_ids)
    ),
    date_part('epoch', p_now - least(in_line.ready_at, in_turns.ready_at, alone.ready_at)) * 1000,
    date_part('epoch', p_now - due.scheduled_for) * 1000
  from lockstep.stages s
  join lockstep.pipelines p on p.id = s.pipeline_id
  -- the first job of each lane has waited longest, since positions are in the order in which jobs become pending
  left join lateral (
    select min(first.ready_at) as ready_at
    from generate_series(1, 20) lane
    cross join lateral (
      select j.ready_at
      from lockstep.jobs j
      where j.stage_id = s.id and j.priority = lane and j.position is not null and j.held_by is null and j.status = 'pending'
        and not j.suspect and j.group_key is null
      order by j.position
      limit 1
    ) first
  ) in_line on true
  -- the first job of each group in each lane, at most 200 of them
  left join lateral (
    with recursive firsts as (
      (
        select j.priority, j.group_key, j.ready_at, 1 as number
        from lockstep.jobs j
        where j.stage_id = s.id and j.position is not null and j.held_by is null and not j.suspect and j.group_key is not null
        order by j.priority, j.group_key collate "C", j.position
        limit 1
      )
      union all
      select following.priority, following.group_key, following.ready_at, f.number + 1
      from firsts f
      cross join lateral (
        select j.priority, j.group_key, j.ready_at
        from lockstep.jobs j
        where j.stage_id = s.id and j.position is not null and j.held_by is null and not j.suspect and j.group_key is not null
          and (j.priority, j.group_key collate "C") > (f.priority, f.group_key collate "C")
        order by j.priority, j.group_key collate "C", j.position
        limit 1
      ) following
      where f.number < 200
    )
    select min(f.ready_at) as ready_at from firsts f
  ) in_turns on true
  left join lateral (
    select j.ready_at
    from lockstep.jobs j
    where j.stage_id = s.id and j.suspect and j.status = 'pending'
    order by j.position
    limit 1
  ) alone on true
  left join lateral (
    select j.scheduled_for
    from lockstep.jobs j
    where j.stage_id = s.id and j.position is null and j.scheduled_for <= p_now
    order by j.scheduled_for
    limit 1
  ) due on true
  order by p.name, s.ordinal, s.id;
$$;
