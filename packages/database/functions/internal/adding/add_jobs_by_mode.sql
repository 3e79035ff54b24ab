-- add_jobs if some of the jobs have a mode of dedup. Each key is decided once, however many adds of this call have it. The jobs that are
-- to be added after that go through add_given_jobs with the rest.
create or replace function lockstep.add_jobs_by_mode(p_jobs jsonb, p_ids_are_new boolean, p_now timestamptz)
returns table (id uuid, created boolean, status lockstep.job_status)
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_count integer := jsonb_array_length(p_jobs);
  v_limited_ids integer[];
  v_has_chosen_ids boolean;
  -- by the number of the job in the call
  v_jobs jsonb[];
  v_has_id boolean[];                                            -- whether it came with an id, so that it may be sent again
  v_adds jsonb[] := array_fill(null::jsonb, array[v_count]);     -- the job that is added for it
  v_shares integer[] := array_fill(null::integer, array[v_count]);  -- the number of the job whose answer it gets
  v_known uuid[] := array_fill(null::uuid, array[v_count]);      -- the job that exists already
  v_key record;
  v_row lockstep.recent_keys;
  v_number integer;
  v_numbers integer[];
  v_first integer;
  v_last integer;
  v_due_at timestamptz;
  -- the keys that are taken if their job is added
  v_taken lockstep.recent_keys[] := '{}';
  v_taken_by integer[] := '{}';
  v_places integer[];
  v_ids uuid[];
  v_created boolean[];
  v_statuses lockstep.job_status[];
begin
  perform lockstep.refuse_unfit_jobs(p_jobs, p_now);

  -- All calls lock in this order: first the pipelines, then the keys, each sorted.
  select array_agg(p.id) into v_limited_ids from lockstep.pipelines p where p.max_pending is not null;
  if v_limited_ids is not null then
    perform lockstep.line_up_adds(v_limited_ids, p_jobs);
  end if;

  select
    array_agg(case when j.job ->> 'id' is null
      then j.job || jsonb_build_object('id', lockstep.new_job_id(p_now)) else j.job end order by j.number),
    array_agg(j.job ->> 'id' is not null order by j.number),
    bool_or(j.job ->> 'id' is not null)
  into v_jobs, v_has_id, v_has_chosen_ids
  from jsonb_array_elements(p_jobs) with ordinality as j (job, number);

  for v_key in
    select
      p.id as pipeline_id,
      coalesce(j.job ->> 'owner', '') as owner,
      d.mode,
      j.job ->> 'dedupKey' as key,
      array_agg(j.number::integer order by j.number) as numbers
    from unnest(v_jobs) with ordinality as j (job, number)
    join lockstep.pipelines p on p.name = j.job ->> 'pipeline'
    cross join lateral (
      select case
        when j.job -> 'dedup' ? 'forMs' then 'for'
        when j.job -> 'dedup' ? 'throttleMs' then 'throttle'
        when j.job -> 'dedup' ? 'debounceMs' then 'debounce' end as mode
    ) d
    where d.mode is not null
    group by 1, 2, 3, 4
    order by 1, 2, 3, 4
  loop
    v_row := null;
    if v_key.mode <> 'debounce' then
      -- A key that is taken stays taken, so there is no need to wait for its lock.
      select k.* into v_row
      from lockstep.recent_keys k
      where k.pipeline_id = v_key.pipeline_id and k.owner = v_key.owner and k.mode = v_key.mode and k.key = v_key.key
        and k.expires_at > p_now;
    end if;
    if v_row.job_id is null then
      v_row := lockstep.lock_recent_key(
        v_key.pipeline_id, v_key.owner, v_key.mode, v_key.key, (v_jobs[v_key.numbers[1]] ->> 'id')::uuid, p_now
      );
    end if;

    -- Adds that were sent before have had their effect. Checked under the lock, since the first one may just have committed.
    v_numbers := '{}';
    foreach v_number in array v_key.numbers loop
      if v_has_id[v_number] and not p_ids_are_new then
        v_known[v_number] := lockstep.job_of_add(
          (v_jobs[v_number] ->> 'id')::uuid, v_key.pipeline_id, v_key.owner
        );
      end if;
      if v_known[v_number] is null then
        v_numbers := v_numbers || v_number;
      end if;
    end loop;
    continue when v_numbers = '{}';
    v_first := v_numbers[1];
    v_last := v_numbers[cardinality(v_numbers)];

    if v_key.mode = 'debounce' then
      v_due_at := p_now + lockstep.ms_interval(v_jobs[v_last] #> '{dedup,debounceMs}');
      -- Before the key was ever taken, its row has the id of the add that asked first, which may be that of any job.
      if v_row.expires_at > '-infinity' and lockstep.replace_waiting_job(
        v_row.job_id, v_jobs[v_last],
        least(v_due_at, v_row.added_at + lockstep.ms_interval(v_jobs[v_last] #> '{dedup,atMostMs}')), p_now
      ) then
        foreach v_number in array v_numbers loop
          v_known[v_number] := v_row.job_id;
        end loop;
      else
        -- the id of the first add, with all else from the last one
        v_adds[v_first] := v_jobs[v_last] - 'dedup' - 'dedupKey'
          || jsonb_build_object('id', v_jobs[v_first] -> 'id', 'scheduledFor', v_due_at);
        v_row.expires_at := v_due_at;
      end if;
    elsif v_row.expires_at > p_now then
      foreach v_number in array v_numbers loop
        v_known[v_number] := v_row.job_id;
      end loop;
    elsif v_key.mode = 'for' then
      v_adds[v_first] := v_jobs[v_first] - 'dedup';
      v_row.expires_at := p_now + lockstep.ms_interval(v_jobs[v_first] #> '{dedup,forMs}');
    else
      v_adds[v_first] := v_jobs[v_first] - 'dedup' - 'dedupKey';
      v_row.expires_at := p_now + lockstep.ms_interval(v_jobs[v_first] #> '{dedup,throttleMs}');
    end if;

    if v_adds[v_first] is not null then
      v_row.added_at := p_now;
      v_taken := v_taken || v_row;
      v_taken_by := v_taken_by || v_first;
      foreach v_number in array v_numbers loop
        v_shares[v_number] := v_first;
      end loop;
    end if;
  end loop;

  -- jobs without a mode are added too; all in the order of the call
  for v_number in 1 .. v_count loop
    if v_known[v_number] is null and v_shares[v_number] is null then
      v_adds[v_number] := v_jobs[v_number];
      v_shares[v_number] := v_number;
    end if;
  end loop;
  select array_agg(a.number::integer order by a.number) into v_places
  from unnest(v_adds) with ordinality as a (job, number)
  where a.job is not null;

  select array_agg(a.id order by a.place), array_agg(a.created order by a.place), array_agg(a.status order by a.place)
  into v_ids, v_created, v_statuses
  from lockstep.add_given_jobs(
    (select coalesce(jsonb_agg(a.job order by a.number), '[]')
      from unnest(v_adds) with ordinality as a (job, number) where a.job is not null),
    p_ids_are_new or not v_has_chosen_ids, true, p_now
  ) with ordinality as a (id, created, status, place);

  -- If the add met a live twin that has no mode, the key is not taken.
  update lockstep.recent_keys k
  set job_id = v_ids[t.place], added_at = t.added_at, expires_at = t.expires_at
  from (
    select (u.taken).*, array_position(v_places, u.number) as place
    from (select v_taken[i] as taken, v_taken_by[i] as number from generate_subscripts(v_taken, 1) i) u
  ) t
  where k.pipeline_id = t.pipeline_id and k.owner = t.owner and k.mode = t.mode and k.key = t.key
    and v_created[t.place];

  insert into lockstep.debounced_adds (id, job_id, added_at)
  select d.id, d.job_id, p_now
  from (
    select
      (v_jobs[n.number] ->> 'id')::uuid as id,
      coalesce(v_known[n.number], v_ids[array_position(v_places, v_shares[n.number])]) as job_id
    from generate_series(1, v_count) as n (number)
    where v_has_id[n.number] and v_jobs[n.number] -> 'dedup' ? 'debounceMs'
  ) d
  where d.id <> d.job_id
  on conflict do nothing;

  return query
    select
      coalesce(v_known[n.number], v_ids[n.place]),
      coalesce(n.number = v_shares[n.number] and v_created[n.place], false),
      case when v_known[n.number] is null then v_statuses[n.place] else lockstep.status_of_job(v_known[n.number]) end
    from (
      select n.number, array_position(v_places, v_shares[n.number]) as place from generate_series(1, v_count) as n (number)
    ) n
    order by n.number;
end;
$$;
