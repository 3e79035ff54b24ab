-- Returns which of these pipelines, which have a maxPending, the jobs are for, and locks them: nobody else adds to them before the
-- transaction ends, so that the count of refuse_above_max_pending is right.
create or replace function lockstep.line_up_adds(p_pipeline_ids integer[], p_jobs jsonb)
returns integer[]
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_ids integer[] := array(
    select p.id
    from lockstep.pipelines p
    where p.id = any (p_pipeline_ids)
      and p.name in (select j.job ->> 'pipeline' from jsonb_array_elements(p_jobs) as j (job))
    order by p.id    -- all calls lock them in this order
  );
begin
  for v_index in 1 .. cardinality(v_ids) loop
    perform pg_advisory_xact_lock(hashtext('lockstep.max_pending'), v_ids[v_index]);
  end loop;
  return nullif(v_ids, '{}');
end;
$$;
