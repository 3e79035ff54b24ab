-- The error of a parent whose child did not complete: it names the child and repeats its message.
create or replace function lockstep.child_error(p_batch_id uuid, p_child_id uuid)
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
      'Child %s ended as %s in stage %s/%s%s', f.id, f.status, p.name, s.name, coalesce(': ' || (f.error ->> 'message'), '.')
    )
  )
  from lockstep.finished_jobs f
  join lockstep.pipelines p on p.id = f.pipeline_id
  join lockstep.stages s on s.id = f.stage_id
  where f.batch_id = p_batch_id and f.id = p_child_id
  limit 1;
$$;
