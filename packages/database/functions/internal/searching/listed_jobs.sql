-- The rows of list_jobs and search_jobs.
create or replace function lockstep.listed_jobs(
  p_filter jsonb,
  p_sort text,
  p_after jsonb,
  p_backwards boolean,
  p_limit integer,
  p_preview boolean,
  p_look_at integer
)
returns setof lockstep.listed_job
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  if p_limit is null or p_limit not between 1 and 201 then
    raise exception 'The limit is %, but must be from 1 to 201.', p_limit using errcode = 'LS001';
  end if;

  return query
    select
      f.id, p.name, s.name, l.status, l.priority::integer, l.attempt::integer, l.losses::integer,
      l.progress::integer, l.progress_note, l.owner, l.group_key, l.dedup_key, l.batch_id,
      case when f.id is not null then coalesce(l.tags, '{}') end,
      l.added_at, nullif(l.scheduled_for, lockstep.never()), l.claimed_at, l.finished_at, l.cancel_requested_at, l.worker_id,
      l.error - '{stack,cause,hasMoreCauses,errors,moreErrors}'::text[], l.fingerprint, l.version, l.preview, f.place
    from lockstep.find_jobs(p_filter, p_sort, p_after, p_backwards, p_limit, p_look_at) with ordinality
      as f (id, pipeline_id, status, finished_at, place, number)
    left join lateral (
      select j.pipeline_id, j.stage_id, j.status, j.priority, j.attempt, j.losses, j.progress, j.progress_note,
        j.owner, j.group_key, j.dedup_key, j.batch_id, j.tags, j.added_at, j.scheduled_for, j.claimed_at,
        null::timestamptz as finished_at, j.cancel_requested_at, j.worker_id,
        j.history[cardinality(j.history)].detail -> 'error' as error, null::text as fingerprint,
        lockstep.job_version(
          j.status, j.stage_id, j.position, j.attempt, j.losses, j.scheduled_for, j.claimed_at, j.cancel_requested_at, null
        ) as version,
        case when p_preview then left(j.payload::text, 200) end as preview
      from lockstep.jobs j
      where f.finished_at is null and j.id = f.id
      union all
      select j.pipeline_id, j.stage_id, j.status, j.priority, j.attempt, j.losses, j.progress, j.progress_note,
        j.owner, j.group_key, j.dedup_key, j.batch_id, j.tags, j.added_at, j.scheduled_for, j.claimed_at,
        j.finished_at, j.cancel_requested_at, j.worker_id, j.error, j.fingerprint,
        lockstep.job_version(
          j.status, j.stage_id, null, j.attempt, j.losses, j.scheduled_for, j.claimed_at, j.cancel_requested_at, j.finished_at
        ),
        case when p_preview then left(j.payload::text, 200) end
      from lockstep.finished_jobs j
      where j.pipeline_id = f.pipeline_id and j.id = f.id and j.status = f.status and j.finished_at = f.finished_at
    ) l on true
    left join lockstep.stages s on s.id = l.stage_id
    left join lockstep.pipelines p on p.id = l.pipeline_id
    order by f.number;
end;
$$;
