-- How many jobs match a filter, counted up to p_cap. Live jobs by status, pipeline and stage are read from the counters, however many
-- there are. Finished jobs are not, since the counters include those that retention has deleted.
--   exact   jobs is the number of matches
--   capped  the count stopped at p_cap: there are at least so many
-- If neither is true, the count stopped after p_look_at rows, and there may be more.
create or replace function lockstep.count_jobs(
  p_filter jsonb default '{}',
  p_cap integer default 10001,
  p_look_at integer default 20000
)
returns table (jobs bigint, exact boolean, capped boolean)
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_walks text;
begin
  if p_cap is null or p_cap not between 1 and 100001 then
    raise exception 'The cap is %, but must be from 1 to 100,001.', p_cap using errcode = 'LS001';
  end if;
  if p_look_at is null or p_look_at not between 1 and 1000000 then
    raise exception 'p_look_at is %, but must be from 1 to 1,000,000.', p_look_at using errcode = 'LS001';
  end if;
  if p_filter ? 'statuses' and p_filter - array['statuses', 'pipeline', 'stage'] = '{}'
    and p_filter -> 'statuses' <@ '["scheduled", "pending", "processing", "retrying"]'
  then
    perform lockstep.stages_of_filter(p_filter);
    return query
      select coalesce(sum(s.jobs), 0)::bigint, true, false
      from lockstep.queue_stats() s
      where p_filter -> 'statuses' ? s.status::text
        and s.pipeline = coalesce(p_filter ->> 'pipeline', s.pipeline)
        and s.stage = coalesce(p_filter ->> 'stage', s.stage);
    return;
  end if;

  select string_agg(format('select w.is_meant from unnest(%L::integer[]) as arm (id) cross join lateral (%s) w', a.over, a.walk), ' union all ')
  into v_walks
  from lockstep.sort_arms(p_filter, '-id', false) a;
  if v_walks is null then
    return query select 0::bigint, true, false;
  else
    return query execute format(
      $s$
      select c.jobs, not c.is_cut and c.jobs < $5, c.jobs >= $5
      from (
        select count(*) filter (where m.is_meant) as jobs, coalesce(bool_or(m.number >= $1), false) as is_cut
        from (
          select l.is_meant, l.number
          from (select w.is_meant, row_number() over () as number from (%s limit $1) w) l
          where l.is_meant or l.number >= $1
          limit $5
        ) m
      ) c
      $s$,
      v_walks
    )
    using p_look_at, 0::bigint, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid, '00000000-0000-0000-0000-000000000000'::uuid, p_cap;
  end if;
end;
$$;
