-- Writes one event of a live job to the realtime log, like log_moves. The caller has locked the job's row.
create or replace function lockstep.log_event(p_job_id uuid, p_kind text, p_detail jsonb, p_now timestamptz)
returns void
language sql
security definer
set search_path = pg_catalog, pg_temp
as $$
  insert into lockstep.events (at, job_id, pipeline_id, stage_id, owner, kind, detail)
  select p_now, j.id, j.pipeline_id, j.stage_id, j.owner, p_kind, jsonb_strip_nulls(p_detail)
  from lockstep.jobs j
  join lockstep.pipelines p on p.id = j.pipeline_id
  where j.id = p_job_id and (j.owner is not null or p.logs_events);
$$;
