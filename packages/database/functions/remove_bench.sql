-- Takes away the pipeline of `lockstep bench` with all its jobs and numbers; no other can be named.
create or replace function lockstep.remove_bench()
returns bigint
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_pipeline_id integer;
  v_stage_ids integer[];
  v_jobs bigint;
  v_finished bigint;
begin
  select p.id into v_pipeline_id from lockstep.pipelines p where p.name = 'lockstep-bench' for update;
  if not found then
    return 0;
  end if;
  select array_agg(s.id) into v_stage_ids from lockstep.stages s where s.pipeline_id = v_pipeline_id;

  delete from lockstep.jobs j where j.stage_id = any (v_stage_ids);
  get diagnostics v_jobs = row_count;
  delete from lockstep.finished_jobs f where f.pipeline_id = v_pipeline_id;
  get diagnostics v_finished = row_count;

  delete from lockstep.stage_moves m where m.stage_id = any (v_stage_ids);
  delete from lockstep.stage_counts c where c.stage_id = any (v_stage_ids);
  delete from lockstep.stage_history h where h.stage_id = any (v_stage_ids);
  delete from lockstep.stage_totals t where t.stage_id = any (v_stage_ids);
  delete from lockstep.stages s where s.pipeline_id = v_pipeline_id;
  delete from lockstep.pipelines p where p.id = v_pipeline_id;
  return v_jobs + v_finished;
end;
$$;
