-- The finished jobs of the batch that a live job has waited for, as batch_results returns them. With the policy ignore, only those that
-- completed. No rows if the job waited for no batch.
create or replace function lockstep.children_of(p_job_id uuid, p_after uuid default null, p_limit integer default 1000)
returns table (id uuid, status lockstep.job_status, result jsonb, error jsonb)
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_batch_id uuid;
  v_after uuid := p_after;
  v_skips boolean;
  v_child record;
  v_read integer;
  v_given integer := 0;
begin
  select b.id, b.on_failure is not distinct from 'ignore' into v_batch_id, v_skips
  from lockstep.jobs j
  join lockstep.batches b on b.id = j.waits_for
  where j.id = p_job_id;
  if not found then
    return;
  end if;

  loop
    v_read := 0;
    for v_child in select * from lockstep.batch_results(v_batch_id, v_after, p_limit) loop
      v_read := v_read + 1;
      v_after := v_child.id;
      continue when v_skips and v_child.status <> 'completed';
      id := v_child.id; status := v_child.status; result := v_child.result; error := v_child.error;
      return next;
      v_given := v_given + 1;
      exit when v_given >= p_limit;
    end loop;
    exit when v_read = 0 or v_given >= p_limit;
  end loop;
end;
$$;
