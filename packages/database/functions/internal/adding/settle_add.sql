-- The rare end of an add: the caller chose the id, or the job met a twin. Raises LS008 for the id of a job of another pipeline or owner.
-- Uses new statements, since the one that inserted cannot see what has finished meanwhile.
create or replace function lockstep.settle_add(
  p_job jsonb,
  p_id uuid,
  p_inserted boolean,
  p_may_have_finished boolean,    -- whether a job may have finished under this id
  p_now timestamptz
)
returns table (id uuid, created boolean, status lockstep.job_status)
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_pipeline_id integer;
  v_stage_id integer;
  v_logging_ids integer[];
  v_owner constant text := coalesce(p_job ->> 'owner', '');
  v_found record;
begin
  select p.id, s.id, case when p.logs_events then array[p.id] else '{}' end into v_pipeline_id, v_stage_id, v_logging_ids
  from lockstep.pipelines p
  join lockstep.stages s on s.pipeline_id = p.id and s.ordinal = 1
  where p.name = p_job ->> 'pipeline';

  if p_inserted and not p_may_have_finished then
    return query select j.id, true, j.status from lockstep.jobs j where j.id = p_id;
    return;
  elsif p_inserted then
    select f.id, f.status, f.pipeline_id = v_pipeline_id and coalesce(f.owner, '') = v_owner as is_own into v_found
    from lockstep.finished_jobs f
    where f.pipeline_id = any (array(select p.id from lockstep.pipelines p)) and f.id = p_id
    limit 1;
    if found then
      perform lockstep.refuse_taken_id(p_id) where not v_found.is_own;
      with taken_back as (
        delete from lockstep.jobs j where j.id = p_id returning j.stage_id, j.status
      )
      insert into lockstep.stage_moves (at, stage_id, moved_from, moved_to, jobs)
      select p_now, stage_id, status::text, '', 1 from taken_back;
      return query select v_found.id, false, v_found.status;
    else
      return query select j.id, true, j.status from lockstep.jobs j where j.id = p_id;
    end if;
    return;
  end if;

  for v_round in 1 .. 20 loop
    select j.id, j.status, j.pipeline_id = v_pipeline_id and coalesce(j.owner, '') = v_owner as is_own into v_found
    from lockstep.jobs j
    where j.id = p_id;
    if found then
      perform lockstep.refuse_taken_id(p_id) where not v_found.is_own;
      return query select v_found.id, false, v_found.status;
      return;
    end if;

    return query
      select j.id, false, j.status
      from lockstep.jobs j
      where j.pipeline_id = v_pipeline_id
        and coalesce(j.owner, '') = v_owner
        and j.dedup_key = p_job ->> 'dedupKey';
    if found then return; end if;

    if p_may_have_finished then
      select f.id, f.status, f.pipeline_id = v_pipeline_id and coalesce(f.owner, '') = v_owner as is_own into v_found
      from lockstep.finished_jobs f
      where f.pipeline_id = any (array(select p.id from lockstep.pipelines p)) and f.id = p_id
      limit 1;
      if found then
        perform lockstep.refuse_taken_id(p_id) where not v_found.is_own;
        return query select v_found.id, false, v_found.status;
        return;
      end if;
    end if;

    -- The twin finished between the insert and these lookups, so the job can be added now.
    return query
      with added as (
        insert into lockstep.jobs (
          id, added_at, pipeline_id, stage_id, ready_at, scheduled_for, status, priority, noted, owner, group_key, dedup_key,
          tags, start_by, batch_id, trace, payload, position
        )
        select g.*, case when g.status = 'pending' then nextval('lockstep.job_positions') end
        from lockstep.given_jobs(
          jsonb_build_array(p_job), array[p_job ->> 'pipeline'], array[v_pipeline_id], array[v_stage_id], v_logging_ids, p_now
        ) g
        on conflict do nothing
        returning id, pipeline_id, stage_id, status, noted, owner, group_key, batch_id
      ),
      counted as (
        insert into lockstep.stage_moves (at, stage_id, moved_from, moved_to, jobs, wakes_for)
        select p_now, stage_id, '', status::text, 1, case when status = 'pending' then 1 end from added
      )
      select a.id, true, a.status
      from added a
      cross join lateral lockstep.note_moves(
        case when a.noted then array[(
          a.id, a.pipeline_id, a.stage_id, null, '', a.status::text, 0, a.owner, a.group_key, a.batch_id, false, null
        )::lockstep.job_move] end, p_now
      );
    if found then return; end if;
  end loop;

  raise exception 'The job with dedup key "%" could not be added: 20 times a twin blocked it and then ended.', p_job ->> 'dedupKey'
    using errcode = '40001';
end;
$$;
