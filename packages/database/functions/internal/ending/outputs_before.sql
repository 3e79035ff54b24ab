-- The outputs of a finished job that it keeps when it runs again from this stage: without those of the stage and of later ones; null if
-- there are none.
create or replace function lockstep.outputs_before(p_job lockstep.finished_jobs, p_stage_id integer)
returns jsonb
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  select jsonb_object_agg(o.key, o.value)
  from jsonb_each(p_job.outputs) o
  join lockstep.stages chosen on chosen.id = p_stage_id
  left join lockstep.stages s on s.pipeline_id = p_job.pipeline_id and s.name = o.key
  where s.id is null    -- a branch has an output of its parent
    or s.id <> chosen.id
      -- a stage that is no longer part of the pipeline has no ordinal; its output stays if the job goes on in the stage where it ended
      and coalesce(s.ordinal < chosen.ordinal, chosen.id = p_job.stage_id);
$$;
