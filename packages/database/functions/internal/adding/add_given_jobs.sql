-- The common part of add_jobs and add_new_jobs.
create or replace function lockstep.add_given_jobs(
  p_jobs jsonb,
  p_ids_are_new boolean,             -- every job has an id that was drawn for this call, so that no finished job can have it
  p_payloads_are_checked boolean,
  p_now timestamptz
)
returns table (id uuid, created boolean, status lockstep.job_status)
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_jobs jsonb := p_jobs;
  v_may_have_twins boolean;
  v_has_chosen_ids boolean := false;
  -- looked up once, not for every job
  v_names text[];
  v_pipeline_ids integer[];
  v_first_stage_ids integer[];
  v_logging_ids integer[];
  v_limited_ids integer[];
  v_has_keys boolean;              -- a job has a signal key
  v_ids uuid[];
  v_stage_ids integer[];
  v_statuses lockstep.job_status[];
  v_moves lockstep.job_move[];
  v_answers integer;
begin
  if coalesce(jsonb_typeof(p_jobs), 'null') <> 'array' then
    raise exception 'add_jobs needs a JSON array of jobs, not %.', coalesce(jsonb_typeof(p_jobs), 'null')
      using errcode = 'LS001';
  end if;

  if p_payloads_are_checked is not true and exists (select from lockstep.pipelines p where p.payload_schema is not null) then
    perform lockstep.refuse_invalid_payloads(p_jobs);
  end if;

  v_may_have_twins := not p_ids_are_new or p_jobs @? '$[*].dedupKey';
  if v_may_have_twins and p_jobs @? '$[*].dedup ? (@ != null)' then
    return query select a.id, a.created, a.status from lockstep.add_jobs_by_mode(p_jobs, p_ids_are_new, p_now) a;
    return;
  end if;

  if not p_ids_are_new then
    select
      coalesce(bool_or(j.job ->> 'id' is not null), false),
      coalesce(jsonb_agg(
        case when j.job ->> 'id' is null then j.job || jsonb_build_object('id', lockstep.new_job_id(p_now)) else j.job end
        order by j.ordinality
      ), '[]')
    into v_has_chosen_ids, v_jobs
    from jsonb_array_elements(p_jobs) with ordinality as j (job, ordinality);
  end if;

  select array_agg(p.name), array_agg(p.id), array_agg(s.id),
    coalesce(array_agg(p.id) filter (where p.logs_events), '{}'),
    array_agg(p.id) filter (where p.max_pending is not null), bool_or(p.has_waits)
  into v_names, v_pipeline_ids, v_first_stage_ids, v_logging_ids, v_limited_ids, v_has_keys
  from lockstep.pipelines p
  join lockstep.stages s on s.pipeline_id = p.id and s.ordinal = 1;

  v_has_keys := v_has_keys and v_jobs @? '$[*].signalKey ? (@ != null)';
  if v_limited_ids is not null then
    v_limited_ids := lockstep.line_up_adds(v_limited_ids, v_jobs);
  end if;

  if not v_may_have_twins then
    -- No twin is possible, and "on conflict" costs a quarter more.
    with added as (
      insert into lockstep.jobs (
        id, added_at, pipeline_id, stage_id, ready_at, scheduled_for, status, priority, noted, owner, group_key, dedup_key, tags,
        start_by, batch_id, trace, payload, position
      )
      select g.*, case when g.status = 'pending' then nextval('lockstep.job_positions') end
      from lockstep.given_jobs(v_jobs, v_names, v_pipeline_ids, v_first_stage_ids, v_logging_ids, p_now) g
      returning id, pipeline_id, stage_id, status, noted, owner, group_key, batch_id
    )
    select array_agg(a.id), array_agg(a.stage_id), array_agg(a.status),
      array_agg((
        a.id, a.pipeline_id, a.stage_id, null, '', a.status::text, 0, a.owner, a.group_key, a.batch_id, false, null
      )::lockstep.job_move) filter (where a.noted)
    into v_ids, v_stage_ids, v_statuses, v_moves
    from added a;
  else
    with added as (
      insert into lockstep.jobs (
        id, added_at, pipeline_id, stage_id, ready_at, scheduled_for, status, priority, noted, owner, group_key, dedup_key, tags,
        start_by, batch_id, trace, payload, position
      )
      select g.*, case when g.status = 'pending' then nextval('lockstep.job_positions') end
      from lockstep.given_jobs(v_jobs, v_names, v_pipeline_ids, v_first_stage_ids, v_logging_ids, p_now) g
      on conflict do nothing
      returning id, pipeline_id, stage_id, status, noted, owner, group_key, batch_id
    )
    select array_agg(a.id), array_agg(a.stage_id), array_agg(a.status),
      array_agg((
        a.id, a.pipeline_id, a.stage_id, null, '', a.status::text, 0, a.owner, a.group_key, a.batch_id, false, null
      )::lockstep.job_move) filter (where a.noted)
    into v_ids, v_stage_ids, v_statuses, v_moves
    from added a;
  end if;

  -- Counts the jobs, and at the commit wakes workers that sleep for a stage that has new waiting jobs (wake_at_commit).
  insert into lockstep.stage_moves (at, stage_id, moved_from, moved_to, jobs, wakes_for)
  select p_now, a.stage_id, '', a.status::text, count(*), case when a.status = 'pending' then count(*) end
  from unnest(v_stage_ids, v_statuses) as a (stage_id, status)
  group by a.stage_id, a.status;

  if v_limited_ids is not null then
    perform lockstep.refuse_above_max_pending(v_limited_ids);
  end if;

  if cardinality(v_ids) = jsonb_array_length(v_jobs) and not v_has_chosen_ids then
    if v_has_keys then
      perform lockstep.take_added_keys(v_jobs, p_now);
    end if;
    if v_moves is not null then
      perform lockstep.note_moves(v_moves, p_now);
    end if;
    return query select a.id, true, a.status from unnest(v_ids, v_statuses) as a (id, status);
    return;
  end if;

  perform lockstep.refuse_unfit_jobs(p_jobs, p_now);
  return query
    select known.id, known.created, known.status
    from (
      select j.job, (j.job ->> 'id')::uuid as id, j.ordinality,
        row_number() over (partition by j.job ->> 'id' order by j.ordinality) = 1 as is_first
      from jsonb_array_elements(v_jobs) with ordinality as j (job, ordinality)
    ) g
    cross join lateral lockstep.settle_add(g.job, g.id, g.is_first and g.id = any (v_ids), v_has_chosen_ids, p_now) known
    order by g.ordinality;
  get diagnostics v_answers = row_count;
  if v_answers <> jsonb_array_length(v_jobs) then
    -- A caller that gets no row for a job would believe that it was added.
    raise exception '% jobs were to be added, but only % have a result.', jsonb_array_length(v_jobs), v_answers
      using errcode = 'LS001', hint = 'This is a bug in Lockstep: please report it.';
  end if;

  if v_has_keys then
    perform lockstep.take_added_keys(v_jobs, p_now);
  end if;
  if v_moves is not null then
    -- some may have turned out to be finished already
    perform lockstep.note_moves(
      array(select m from unnest(v_moves) m where (select true from lockstep.jobs j where j.id = m.job_id)), p_now
    );
  end if;
end;
$$;
