-- Counts the jobs that a claim takes for the rate of the stage and for the rates of their groups. The caller has locked the gate.
create or replace function lockstep.use_rates(
  p_stage_id integer,
  p_group_keys text[],       -- one for each job taken; '' for a job without a group
  p_now timestamptz
)
returns void
language sql
security definer
set search_path = pg_catalog, pg_temp
as $$
  update lockstep.stage_gates g
  set used_jobs = coalesce(u.used_jobs, g.used_jobs),
      used_until = coalesce(u.used_until, g.used_until),
      used_at = p_now
  from lockstep.stages s
  left join lateral (
    select r.used_jobs, r.used_until
    from lockstep.stage_gates old
    cross join lateral lockstep.rate_used(
      old.used_jobs, old.used_until, cardinality(p_group_keys), s.rate_per_ms, p_now
    ) r
    where old.stage_id = s.id and s.rate_jobs is not null
  ) u on true
  where s.id = p_stage_id and (s.rate_jobs is not null or s.group_rate_jobs is not null) and g.stage_id = s.id;

  insert into lockstep.group_rates as g (stage_id, group_key, used_jobs, used_until)
  select p_stage_id, k.key, u.used_jobs, u.used_until
  from lockstep.stages s
  cross join lateral (
    select k.key, count(*)::integer as jobs from unnest(p_group_keys) as k (key) where k.key <> '' group by k.key
  ) k
  left join lockstep.group_rates old on old.stage_id = p_stage_id and old.group_key = k.key
  cross join lateral lockstep.rate_used(
    coalesce(old.used_jobs, '{}'), coalesce(old.used_until, '{}'), k.jobs, s.group_rate_per_ms, p_now
  ) u
  where s.id = p_stage_id and s.group_rate_jobs is not null
  on conflict (stage_id, group_key) do update
  set used_jobs = excluded.used_jobs, used_until = excluded.used_until;
$$;
