-- The jobs that match a filter, sorted, with a limit on how many rows are read. filter_condition explains the filter, sort_arms the
-- orders. p_after is the place of a row: the list continues after it, or with p_backwards before it.
-- If p_look_at rows were read before p_limit jobs were found, a last row without an id has the place to continue from.
create or replace function lockstep.find_jobs(
  p_filter jsonb default '{}',
  p_sort text default '-id',
  p_after jsonb default null,
  p_backwards boolean default false,
  p_limit integer default 50,
  p_look_at integer default 20000
)
returns table (id uuid, pipeline_id integer, status lockstep.job_status, finished_at timestamptz, place jsonb)
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_is_down boolean := p_sort like '-%' <> coalesce(p_backwards, false);
  v_direction text := case when v_is_down then 'desc' else 'asc' end;
  v_key bigint := case when v_is_down then 9000000000000000001 else -60000000000000000 end;
  v_id uuid := case when v_is_down then 'ffffffff-ffff-ffff-ffff-ffffffffffff' else '00000000-0000-0000-0000-000000000000' end;
  v_arms integer;
  v_statement text;
  v_share integer;
  v_end uuid := case when v_is_down then '00000000-0000-0000-0000-000000000000' else 'ffffffff-ffff-ffff-ffff-ffffffffffff' end;
  v_until uuid;
  v_jobs_per_ms float8;
  v_span_ms bigint;
  v_left bigint;
  v_looked bigint := 0;
  v_round record;
  v_keys bigint[] := '{}';
  v_ids uuid[] := '{}';
  v_pipeline_ids integer[] := '{}';
  v_statuses lockstep.job_status[] := '{}';
  v_finished_ats timestamptz[] := '{}';
begin
  if p_limit is null or p_limit not between 1 and 100001 then
    raise exception 'The limit is %, but must be from 1 to 100,001.', p_limit using errcode = 'LS001';
  end if;
  if p_look_at is null or p_look_at not between 1 and 1000000 then
    raise exception 'p_look_at is %, but must be from 1 to 1,000,000.', p_look_at using errcode = 'LS001';
  end if;
  if p_after is not null then
    if (p_after ->> 'id') !~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' is not false
      or (p_after ->> 'key') !~ '^-?[0-9]{1,19}$' is not false
      or (p_after ->> 'key')::numeric not between -60000000000000000 and 9000000000000000001
    then
      raise exception 'p_after is not the place of a row.' using errcode = 'LS001', hint = 'Use the column place of a row of an earlier page.';
    end if;
    v_key := p_after ->> 'key';
    v_id := p_after ->> 'id';
  end if;

  select
    sum(cardinality(a.over)),
    string_agg(
      format(
        $s$
        select w.*
        from unnest(%L::integer[]) as arm (id)
        cross join lateral (
          select
            count(*)::integer as looked, (array_agg(s.id))[1] as first_id, (array_agg(s.key))[count(*)] as last_key, (array_agg(s.id))[count(*)] as last_id,
            array_agg(s.key) filter (where s.is_meant) as keys, array_agg(s.id) filter (where s.is_meant) as ids,
            array_agg(s.pipeline_id) filter (where s.is_meant) as pipeline_ids,
            array_agg(s.status) filter (where s.is_meant) as statuses,
            array_agg(s.finished_at) filter (where s.is_meant) as finished_ats
          from (%s) s
        ) w
        $s$,
        a.over, a.walk
      ),
      ' union all '
    )
  into v_arms, v_statement
  from lockstep.sort_arms(p_filter, p_sort, coalesce(p_backwards, false)) a;
  if v_arms is null then
    return;
  end if;
  v_share := greatest(least(p_limit, p_look_at / v_arms), 1);

  -- Each arm reads its next rows. An arm that read as many as it may has more after its last row. So the order is known only up to the
  -- nearest of these last rows (cut), and there the next round continues.
  v_statement := format(
    $s$
    with arms as materialized (%1$s),
    cut as (
      select a.last_key as key, a.last_id as id from arms a where a.looked >= $1 order by 1 %2$s, 2 %2$s limit 1
    ),
    found as (
      select u.*
      from arms a
      cross join lateral unnest(a.keys, a.ids, a.pipeline_ids, a.statuses, a.finished_ats)
        as u (key, id, pipeline_id, status, finished_at)
      left join cut on true
      where cut.id is null or (u.key, u.id) %3$s (cut.key, cut.id)
      order by u.key %2$s, u.id %2$s
      limit $5
    )
    select
      (select sum(a.looked) from arms a) as looked, (select c.key from cut c) as cut_key, (select c.id from cut c) as cut_id,
      (
        select sum(a.looked / greatest(abs(lockstep.ms_of_id(a.first_id) - lockstep.ms_of_id(a.last_id)), 1)::float8)
        from arms a
        cross join cut
        where a.looked > 0 and a.first_id %3$s cut.id
      ) as jobs_per_ms,
      array(select f.key from found f) as keys, array(select f.id from found f) as ids,
      array(select f.pipeline_id from found f) as pipeline_ids, array(select f.status from found f) as statuses,
      array(select f.finished_at from found f) as finished_ats
    $s$,
    v_statement, v_direction, case when v_is_down then '>=' else '<=' end
  );
  for v_number in 1 .. 10 loop
    execute v_statement using v_share, v_key, v_id, coalesce(v_until, v_end), p_limit - cardinality(v_ids) into v_round;
    v_looked := v_looked + v_round.looked;
    v_keys := v_keys || v_round.keys;
    v_ids := v_ids || v_round.ids;
    v_pipeline_ids := v_pipeline_ids || v_round.pipeline_ids;
    v_statuses := v_statuses || v_round.statuses;
    v_finished_ats := v_finished_ats || v_round.finished_ats;
    -- If a span was read to its end, the next round continues at that end.
    v_key := case when v_round.cut_id is null and v_until is not null then 0 else v_round.cut_key end;
    v_id := coalesce(v_round.cut_id, v_until);
    exit when v_id is null or cardinality(v_ids) >= p_limit or v_looked >= p_look_at * 0.8;    -- the rest is not worth another round

    -- Read as many rows as it should take to find the rest, if matches are as frequent as so far. A further round would cost more than some
    -- thousand rows, since it is planned again with all partitions.
    v_left := p_look_at - v_looked;
    v_left := least(v_left, 200 + v_left * (cardinality(v_ids) = 0)::integer
      + coalesce(2 * v_looked * (p_limit - cardinality(v_ids)) / nullif(cardinality(v_ids), 0), 0));
    v_share := greatest(v_left / v_arms, 1);
    -- With many arms, most of the next rows of each lie beyond those of the busiest arm, and would be read for nothing. In the order of ids,
    -- a round therefore reads a span of ids that has about as many jobs as it is to read.
    if v_arms > 1 and p_sort = '-id' then
      v_share := greatest(v_left / (case when v_arms > 4 then 2 else 1 end), 1);
      v_jobs_per_ms := coalesce(v_round.jobs_per_ms, greatest(v_round.looked / v_span_ms::float8, v_jobs_per_ms / 8), 1);
      v_span_ms := least(v_left / v_jobs_per_ms, 281474976710655);
      v_until := lockstep.id_at(lockstep.ms_of_id(v_id) + v_span_ms * case when v_is_down then -1 else 1 end);
      if lockstep.ms_of_id(v_until) in (0, 281474976710655) then
        v_until := null;
      end if;
    end if;
  end loop;

  return query
    select u.id, u.pipeline_id, u.status, u.finished_at, jsonb_build_object('key', u.key::text, 'id', u.id)
    from unnest(v_keys, v_ids, v_pipeline_ids, v_statuses, v_finished_ats)
      with ordinality as u (key, id, pipeline_id, status, finished_at, number)
    order by case when p_backwards then -u.number else u.number end;
  if v_id is not null and cardinality(v_ids) < p_limit then
    id := null; pipeline_id := null; status := null; finished_at := null;
    place := jsonb_build_object('key', v_key::text, 'id', v_id);
    return next;
  end if;
end;
$$;
