-- Adds many jobs at once, all or none. p_jobs is an array of
-- {"pipeline", "payload", "priority", "scheduledFor", "dedupKey", "owner", "tags", "id", "idIsNew"}.
-- One row comes back for each, in order; a twin gives the id of the job that is there, with created = false.
-- "idIsNew" says that the caller drew the id for this very call, so that no job can have finished under it.
create or replace function lockstep.add_jobs(p_jobs jsonb, p_now timestamptz default clock_timestamp())
returns table (id uuid, created boolean, status lockstep.job_status)
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_ids uuid[];
  v_created boolean[];
  v_statuses lockstep.job_status[];
  v_unsure integer[];
  v_pending integer;
  v_stage_ids integer[];
  v_refusal text;
  v_unknown text;
  v_index integer;
  v_known record;
begin
  if coalesce(jsonb_typeof(p_jobs), 'null') <> 'array' then
    raise exception 'add_jobs takes a JSON array of jobs, not %.', coalesce(jsonb_typeof(p_jobs), 'null')
      using errcode = 'LS001';
  end if;

  with given as materialized (
    select
      g.ordinality::integer as ordinal,
      coalesce(g.id, lockstep.new_job_id(p_now)) as id,
      g.id is not null and g."idIsNew" is not true as is_given,
      g.pipeline,
      s.id as stage_id,
      s.pipeline_id,
      coalesce(g.payload, 'null'::jsonb) as payload,
      coalesce(g.priority, 10) as priority,
      case when g."scheduledFor" > p_now then g."scheduledFor" end as scheduled_for,
      g."dedupKey" as dedup_key,
      g.owner,
      g.tags,
      case
        when coalesce(g.priority, 10) not between 1 and 20
          then format('the priority is %s, but must be from 1 to 20', g.priority)
        -- the exact size costs a pass over the payload: only where it can matter (a control character is 6 bytes of text)
        when pg_column_size(g.payload) > 43690 and octet_length(g.payload::text) > 262144
          then format('the payload has %s bytes, but may have 262144 (256 KiB)', octet_length(g.payload::text))
        when g."scheduledFor" > p_now + interval '5 years'
          then format('it is scheduled for %s, but may be at most 5 years ahead', g."scheduledFor")
        when octet_length(g."dedupKey") not between 1 and 255
          then format('the dedup key has %s bytes, but must have 1 to 255', octet_length(g."dedupKey"))
        when octet_length(g.owner) not between 1 and 255
          then format('the owner has %s bytes, but must have 1 to 255', octet_length(g.owner))
        when cardinality(g.tags) > 20
          then format('it has %s tags, but may have 20', cardinality(g.tags))
      end as refusal
    from rows from (
      jsonb_to_recordset(p_jobs) as (
        id uuid, "idIsNew" boolean, pipeline text, payload jsonb, priority integer,
        "scheduledFor" timestamptz, "dedupKey" text, owner text, tags text[]
      )
    ) with ordinality as g
    left join lockstep.pipelines p on p.name = g.pipeline
    left join lockstep.stages s on s.pipeline_id = p.id and s.ordinal = 1
  ),
  added as (
    insert into lockstep.jobs (
      id, added_at, pipeline_id, stage_id, position, ready_at, scheduled_for, status,
      priority, owner, dedup_key, tags, payload
    )
    select
      g.id, p_now, g.pipeline_id, g.stage_id,
      case when g.scheduled_for is null then nextval('lockstep.job_positions') else 0 end,
      coalesce(g.scheduled_for, p_now), g.scheduled_for,
      (case when g.scheduled_for is null then 'pending' else 'scheduled' end)::lockstep.job_status,
      g.priority, g.owner, g.dedup_key, g.tags, g.payload
    from given g
    where g.refusal is null and g.stage_id is not null
    order by g.ordinal
    on conflict do nothing
    returning id, stage_id, status
  ),
  counted as (
    insert into lockstep.stage_moves (at, stage_id, moved_from, moved_to, jobs)
    select p_now, stage_id, '', status::text, count(*)
    from added
    group by stage_id, status
  )
  select
    array_agg(g.id order by g.ordinal),
    array_agg(a.id is not null order by g.ordinal),
    array_agg(a.status order by g.ordinal),
    array_agg(g.ordinal order by g.ordinal) filter (where a.id is null or g.is_given),
    count(*) filter (where a.status = 'pending'),
    array_agg(distinct a.stage_id) filter (where a.status = 'pending'),
    min(format('Job %s of %s cannot be added: %s.', g.ordinal, jsonb_array_length(p_jobs), g.refusal))
      filter (where g.refusal is not null),
    min(coalesce(g.pipeline, '')) filter (where g.stage_id is null)
  into v_ids, v_created, v_statuses, v_unsure, v_pending, v_stage_ids, v_refusal, v_unknown
  from given g
  left join added a on a.id = g.id;

  if v_unknown is not null then
    raise exception 'There is no pipeline "%".', v_unknown
      using errcode = 'LS002', hint = 'Define it with define_pipeline, or start a worker that has it.';
  end if;
  if v_refusal is not null then
    raise exception '%', v_refusal using errcode = 'LS001';
  end if;

  foreach v_index in array coalesce(v_unsure, '{}') loop
    select * into v_known
    from lockstep.settle_add(
      p_jobs -> (v_index - 1),
      v_ids[v_index],
      v_created[v_index] and array_position(v_ids, v_ids[v_index]) = v_index,
      p_now
    );
    v_ids[v_index] := v_known.id;
    v_created[v_index] := v_known.created;
    v_statuses[v_index] := v_known.status;
  end loop;

  if v_pending > 0 then
    perform lockstep.wake_workers(v_stage_ids, v_pending, p_now);
  end if;

  return query select * from unnest(v_ids, v_created, v_statuses);
end;
$$;
