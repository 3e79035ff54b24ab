-- The job that an earlier add with this id added or, if it was debounced, changed; null if there was none. Raises LS008 if that job is of
-- another pipeline or owner.
create or replace function lockstep.job_of_add(p_id uuid, p_pipeline_id integer, p_owner text)
returns uuid
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_found record;
begin
  -- One statement, and so one snapshot: a job that finishes meanwhile is not missed.
  with known as materialized (
    select p_id as id
    union all
    select d.job_id from lockstep.debounced_adds d where d.id = p_id
  )
  select one.id, one.pipeline_id = p_pipeline_id and one.owner = p_owner as is_own into v_found
  from known k
  cross join lateral (
    select j.id, j.pipeline_id, coalesce(j.owner, '') as owner from lockstep.jobs j where j.id = k.id
    union all
    select f.id, f.pipeline_id, coalesce(f.owner, '')
    from lockstep.finished_jobs f
    where f.pipeline_id = any (array(select p.id from lockstep.pipelines p)) and f.id = k.id
  ) one
  order by (one.id = p_id) desc
  limit 1;
  perform lockstep.refuse_taken_id(p_id) where not v_found.is_own;
  return v_found.id;
end;
$$;
