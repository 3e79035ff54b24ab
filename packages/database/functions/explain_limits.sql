-- Which limits hold back a job that waits in a stage: one row for each, as explain_job tells them. Reads only.
create or replace function lockstep.explain_limits(p_stage_id integer, p_group_key text, p_now timestamptz)
returns table (reason text, explanation text, detail jsonb)
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  with stage as (
    select s.*, coalesce(g.used_jobs, '{}') as used_jobs, coalesce(g.used_until, '{}') as used_until
    from lockstep.stages s
    left join lockstep.stage_gates g on g.stage_id = s.id
    where s.id = p_stage_id and s.is_gated
  )
  select 'breaker_open',
    case
      when b.open_until > p_now then format(
        'The circuit breaker of %s is open: too many attempts failed. One job is let through in %s s, to see.',
        coalesce('group "' || nullif(b.group_key, '') || '"', 'stage ' || s.name),
        ceil(date_part('epoch', b.open_until - p_now))
      )
      else format(
        'The circuit breaker of %s lets one job through, to see; the others wait for it.',
        coalesce('group "' || nullif(b.group_key, '') || '"', 'stage ' || s.name)
      )
    end,
    jsonb_build_object('openedAt', b.opened_at, 'probeAt', b.open_until)
  from stage s
  join lockstep.open_breakers b on b.stage_id = s.id
    and b.group_key = case when s.breaker ->> 'per' = 'group' then coalesce(p_group_key, '') else '' end
  union all
  select 'stage_limit', format('%s jobs run in stage %s, as many as its concurrency allows.', s.concurrency, s.name),
    jsonb_build_object('concurrency', s.concurrency)
  from stage s
  where lockstep.counted_jobs(s.id, null, s.concurrency) >= s.concurrency
  union all
  select 'group_limit', format('%s jobs of group "%s" run in stage %s, as many as its groupConcurrency allows.',
      s.group_concurrency, p_group_key, s.name),
    jsonb_build_object('groupConcurrency', s.group_concurrency)
  from stage s
  where p_group_key is not null
    and lockstep.counted_jobs(s.id, p_group_key, s.group_concurrency) >= s.group_concurrency
  union all
  select 'stage_rate', format('Stage %s has started %s jobs within %s ms, as many as its rate allows; the next may start in %s s.',
      s.name, s.rate_jobs, s.rate_per_ms, ceil(date_part('epoch', r.free_at - p_now))),
    jsonb_build_object('freeAt', r.free_at)
  from stage s
  cross join lateral lockstep.rate_room(s.rate_jobs, s.used_jobs, s.used_until, p_now) r
  where s.rate_jobs is not null and r.room = 0
  union all
  select 'group_rate', format(
      'Stage %s has started %s jobs of group "%s" within %s ms, as many as its groupRate allows; the next may start in %s s.',
      s.name, s.group_rate_jobs, p_group_key, s.group_rate_per_ms, ceil(date_part('epoch', r.free_at - p_now))),
    jsonb_build_object('freeAt', r.free_at)
  from stage s
  join lockstep.group_rates g on g.stage_id = s.id and g.group_key = p_group_key
  cross join lateral lockstep.rate_room(s.group_rate_jobs, g.used_jobs, g.used_until, p_now) r
  where s.group_rate_jobs is not null and r.room = 0;
$$;
