-- Says in a sentence which of some jobs cannot be added, and why. Does nothing when all can.
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

    v_refusal := case
      when v_job.priority not between 1 and 20
        then format('the priority is %s, but must be from 1 to 20', v_job.priority)
      when octet_length(v_job.payload::text) > 262144
        then format('the payload has %s bytes, but may have 262144 (256 KiB)', octet_length(v_job.payload::text))
      when v_job."scheduledFor" > p_now + interval '5 years'
        then format('it is scheduled for %s, but may be at most 5 years ahead', v_job."scheduledFor")
      when octet_length(v_job."dedupKey") not between 1 and 255
        then format('the dedup key has %s bytes, but must have 1 to 255', octet_length(v_job."dedupKey"))
      when octet_length(v_job.owner) not between 1 and 255
        then format('the owner has %s bytes, but must have 1 to 255', octet_length(v_job.owner))
      when octet_length(v_job."groupKey") not between 1 and 255
        then format('the group key has %s bytes, but must have 1 to 255', octet_length(v_job."groupKey"))
      when v_job."startBy" <= p_now
        then format('it is to start by %s, which is past', v_job."startBy")
      when v_job.dedup is not null and lockstep.dedup_refusal(v_job.dedup, v_job."dedupKey", v_job."scheduledFor") is not null
        then lockstep.dedup_refusal(v_job.dedup, v_job."dedupKey", v_job."scheduledFor")
      when v_job."startBy" <= coalesce(v_job."scheduledFor", p_now + lockstep.ms_interval(v_job.dedup -> 'debounceMs'))
        then format('it is to start by %s, but is not due before then', v_job."startBy")
      when octet_length(v_job.trace) > 255
        then format('the trace has %s bytes, but may have 255', octet_length(v_job.trace))
      when cardinality(v_job.tags) > 20
        then format('it has %s tags, but may have 20', cardinality(v_job.tags))
    end;
    if v_refusal is not null then
      raise exception 'Job % of % cannot be added: %.', v_job.ordinality, jsonb_array_length(p_jobs), v_refusal
        using errcode = 'LS001';
    end if;
  end loop;
end;
$$;
