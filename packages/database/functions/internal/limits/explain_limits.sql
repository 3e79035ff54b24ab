-- The limits that hold back a waiting job: a row of explain_job for each. Only reads.
create or replace function lockstep.explain_limits(
  p_stage_id integer,
  p_priority integer,
  p_group_key text,
  p_now timestamptz
)
returns table (reason text, explanation text, detail jsonb)
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  with stage as (
    select s.*, coalesce(g.used_jobs, '{}') as used_jobs, coalesce(g.used_until, '{}') as used_until, g.left_off
    from lockstep.stages s
    left join lockstep.stage_gates g on g.stage_id = s.id
    where s.id = p_stage_id
  ),
  gated as (
    select * from stage s where s.is_gated
  )
  select 'breaker_open',
    case
      when b.open_until > p_now then format(
        'The circuit breaker of %s is open, since too many attempts failed. In %s s it lets one job through as a probe.',
        coalesce('group "' || nullif(b.group_key, '') || '"', 'stage ' || s.name),
        ceil(date_part('epoch', b.open_until - p_now))
      )
      else format(
        'The circuit breaker of %s lets one job through as a probe; the others wait for it.',
        coalesce('group "' || nullif(b.group_key, '') || '"', 'stage ' || s.name)
      )
    end,
    jsonb_build_object('openedAt', b.opened_at, 'probeAt', b.open_until)
  from gated s
  join lockstep.open_breakers b on b.stage_id = s.id
    and b.group_key = case when s.breaker ->> 'per' = 'group' then coalesce(p_group_key, '') else '' end
  union all
  select 'stage_limit', format('Stage %s runs as many jobs as its concurrency allows: %s.', s.name, s.concurrency),
    jsonb_build_object('concurrency', s.concurrency)
  from gated s
  where lockstep.counted_jobs(s.id, null, s.concurrency) >= s.concurrency
  union all
  select 'group_limit', format('Stage %s runs as many jobs of group "%s" as its groupConcurrency allows: %s.',
      s.name, p_group_key, s.group_concurrency),
    jsonb_build_object('groupConcurrency', s.group_concurrency)
  from gated s
  where p_group_key is not null
    and lockstep.counted_jobs(s.id, p_group_key, s.group_concurrency) >= s.group_concurrency
  union all
  select 'stage_rate', format('Stage %s has started as many jobs as its rate allows (%s per %s ms); the next may start in %s s.',
      s.name, s.rate_jobs, s.rate_per_ms, ceil(date_part('epoch', r.free_at - p_now))),
    jsonb_build_object('freeAt', r.free_at)
  from gated s
  cross join lateral lockstep.rate_room(s.rate_jobs, s.rate_per_ms, s.used_jobs, s.used_until, p_now) r
  where s.rate_jobs is not null and r.room = 0
  union all
  select 'group_rate', format(
      'Stage %s has started as many jobs of group "%s" as its groupRate allows (%s per %s ms); the next may start in %s s.',
      s.name, p_group_key, s.group_rate_jobs, s.group_rate_per_ms, ceil(date_part('epoch', r.free_at - p_now))),
    jsonb_build_object('freeAt', r.free_at)
  from gated s
  join lockstep.group_rates g on g.stage_id = s.id and g.group_key = p_group_key
  cross join lateral lockstep.rate_room(s.group_rate_jobs, s.group_rate_per_ms, g.used_jobs, g.used_until, p_now) r
  where s.group_rate_jobs is not null and r.room = 0
  union all
  select 'many_groups', format(
      'So many groups wait at priority %s of stage %s that a claim does not look at all of them. The next claim continues after group "%s".',
      p_priority, s.name, s.left_off[p_priority]),
    jsonb_build_object('leftOff', s.left_off[p_priority])
  from stage s
  where s.left_off[p_priority] is not null;
$$;
