-- Raises an error that says which of these jobs cannot be added, and why. Does nothing if all can.
create or replace function lockstep.refuse_unfit_jobs(p_jobs jsonb, p_now timestamptz)
returns void
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_job record;
  v_refusal text;
begin
  for v_job in
    select g.*, s.id as stage_id
    from rows from (
      jsonb_to_recordset(p_jobs) as (
        pipeline text, payload jsonb, priority integer,
        "scheduledFor" timestamptz, "dedupKey" text, owner text, tags text[],
        "groupKey" text, "startBy" timestamptz, trace text, dedup jsonb
      )
    ) with ordinality as g
    left join lockstep.pipelines p on p.name = g.pipeline
    left join lockstep.stages s on s.pipeline_id = p.id and s.ordinal = 1
    order by g.ordinality
  loop
    if v_job.stage_id is null then
      raise exception 'There is no pipeline "%".', coalesce(v_job.pipeline, '')
        using errcode = 'LS002', hint = 'Define it with define_pipeline, or start a worker that has it.';
    end if;

    v_refusal := lockstep.add_refusal(
      v_job.payload, v_job.priority, v_job."scheduledFor", v_job."startBy", v_job.owner, v_job."groupKey", v_job.tags, v_job.trace,
      v_job."dedupKey", v_job.dedup, p_now
    );
    if v_refusal is not null then
      raise exception 'Job % of % cannot be added: %.', v_job.ordinality, jsonb_array_length(p_jobs), v_refusal
        using errcode = 'LS001';
    end if;
  end loop;
end;
$$;
