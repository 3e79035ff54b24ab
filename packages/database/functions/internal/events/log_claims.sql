-- Writes the claims of these jobs to the realtime log, like log_moves.
create or replace function lockstep.log_claims(p_job_ids uuid[], p_now timestamptz)
returns void
language sql
security definer
set search_path = pg_catalog, pg_temp
as $$
  insert into lockstep.events (at, job_id, pipeline_id, stage_id, owner, kind, detail)
  select p_now, j.id, j.pipeline_id, j.stage_id, j.owner, 'job.claimed', jsonb_build_object('attempt', j.attempt)
  from unnest(p_job_ids) with ordinality as g (id, ordinality)
  join lockstep.jobs j on lockstep.is_same_id(j.id, g.id)
  where j.noted
    and (j.owner is not null or j.pipeline_id = any (array(select p.id from lockstep.pipelines p where p.logs_events)))
  order by g.ordinality;
$$;
