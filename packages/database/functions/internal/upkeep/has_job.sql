-- Whether a job is still there, live or finished, and not another one that was added later under its id.
create or replace function lockstep.has_job(p_id uuid, p_added_at timestamptz, p_pipeline_id integer)
returns boolean
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  select exists (select from lockstep.jobs j where j.id = p_id and j.added_at = p_added_at)
    or exists (
      select from lockstep.finished_jobs f where f.pipeline_id = p_pipeline_id and f.id = p_id and f.added_at = p_added_at
    );
$$;
