-- The error of a parent whose child did not complete: it names the child and repeats its message.
create or replace function lockstep.child_error(p_batch lockstep.batches, p_child_id uuid)
returns jsonb
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  select jsonb_build_object(
    'name', 'ChildFailedError',
    'code', 'child_failed',
    'message', format(
      '%s ended as %s in stage %s/%s%s',
      coalesce(
        (
          select format('Branch "%s" (job %s)', b.branch ->> 'name', f.id)
          from jsonb_array_elements(p_batch.branches) as b (branch)
          where b.branch ->> 'jobId' = f.id::text and b.branch ->> 'name' is not null
        ),
        'Child ' || f.id
      ),
      f.status, p.name, s.name, coalesce(': ' || (f.error ->> 'message'), '.')
    )
  )
  from lockstep.finished_jobs f
  join lockstep.pipelines p on p.id = f.pipeline_id
  join lockstep.stages s on s.id = f.stage_id
  where f.batch_id = p_batch.id and f.id = p_child_id
  limit 1;
$$;
