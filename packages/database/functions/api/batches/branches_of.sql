-- The children whose results stages of a job wait for or have waited for, in the order in which they began: a row for each branch of a
-- parallel stage, and for each only child, whose branch is null. If a stage fanned out again, its earlier children come first.
-- pipeline and status are null if the child is past its retention.
create or replace function lockstep.branches_of(p_job_id uuid)
returns table (
  stage text,
  branch text,
  id uuid,
  pipeline text,
  status lockstep.job_status,
  on_failure text,
  batch_id uuid,
  began_at timestamptz,
  finished_at timestamptz
)
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  select s.name, c.branch ->> 'name', c.id, p.name, coalesce(j.status, f.status), c.branch ->> 'onFailure', b.id, b.added_at, f.finished_at
  from (
    select b.id, b.added_at, b.fan_out_stage_id, b.branches
    from lockstep.batches b
    where b.waiting_job_id = p_job_id and b.returns is not null
    order by b.added_at desc
    limit 20
  ) b
  join lockstep.stages s on s.id = b.fan_out_stage_id
  cross join lateral (
    select c.branch, (c.branch ->> 'jobId')::uuid as id, c.number
    from jsonb_array_elements(b.branches) with ordinality as c (branch, number)
  ) c
  left join lockstep.jobs j on j.id = c.id
  left join lateral (
    select f.status, f.pipeline_id, f.finished_at from lockstep.finished_jobs f where f.batch_id = b.id and f.id = c.id limit 1
  ) f on j.id is null
  left join lockstep.pipelines p on p.id = coalesce(j.pipeline_id, f.pipeline_id)
  order by b.added_at, b.id, c.number;
$$;
