-- The current state of up to 100 jobs, for screens that show them: the columns of list_jobs that change.
create or replace function lockstep.job_rows(p_ids uuid[])
returns table (
  id uuid,
  pipeline text,
  stage text,
  status lockstep.job_status,
  attempt integer,
  losses integer,
  progress integer,
  progress_note text,
  owner text,
  scheduled_for timestamptz,
  claimed_at timestamptz,
  finished_at timestamptz,
  cancel_requested_at timestamptz,
  worker_id uuid,
  updated_at timestamptz
)
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_pipeline_ids integer[];
  v_finished_ids uuid[];
begin
  if cardinality(p_ids) > 100 then
    raise exception 'job_rows takes at most 100 ids, not %.', cardinality(p_ids) using errcode = 'LS001';
  end if;

  return query
    select j.id, p.name, s.name, j.status, j.attempt::integer, j.losses::integer, j.progress::integer, j.progress_note,
      j.owner, nullif(j.scheduled_for, lockstep.never()), j.claimed_at, null::timestamptz, j.cancel_requested_at, j.worker_id,
      coalesce(j.claimed_at, j.history[cardinality(j.history)].ended_at, j.added_at)
    from lockstep.jobs j
    join lockstep.stages s on s.id = j.stage_id
    join lockstep.pipelines p on p.id = j.pipeline_id
    where j.id = any (p_ids);

  v_finished_ids := array(
    select g.id from unnest(p_ids) as g (id) where not exists (select from lockstep.jobs j where j.id = g.id)
  );
  if cardinality(v_finished_ids) = 0 then
    return;
  end if;
  v_pipeline_ids := array(select p.id from lockstep.pipelines p);
  return query
    select f.id, p.name, s.name, f.status, f.attempt::integer, f.losses::integer, f.progress::integer, f.progress_note,
      f.owner, nullif(f.scheduled_for, lockstep.never()), f.claimed_at, f.finished_at, f.cancel_requested_at, f.worker_id, f.finished_at
    from unnest(v_finished_ids) as g (id)
    cross join lateral (
      select f.* from lockstep.finished_jobs f
      where f.pipeline_id = any (v_pipeline_ids) and f.id = g.id
        -- No job ends before it is added, and most ids tell when that was, so earlier day tables are skipped.
        and f.finished_at >= case when g.id::text like '______________7%'
          then to_timestamp(lockstep.ms_of_id(g.id) / 1000.0) - interval '1 day'
          else '-infinity' end
      limit 1
    ) f
    join lockstep.stages s on s.id = f.stage_id
    join lockstep.pipelines p on p.id = f.pipeline_id;
end;
$$;
