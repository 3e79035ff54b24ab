-- The jobs of an add as rows for the table jobs, except the position, and without those that add_refusal refuses.
-- Plain SQL without settings, so that PostgreSQL inlines it.
create or replace function lockstep.given_jobs(
  p_jobs jsonb,
  p_pipelines text[],
  p_pipeline_ids integer[],
  p_first_stage_ids integer[],
  p_logging_ids integer[],        -- pipelines that write events for all their jobs
  p_now timestamptz
)
returns table (
  id uuid,
  added_at timestamptz,
  pipeline_id integer,
  stage_id integer,
  ready_at timestamptz,
  scheduled_for timestamptz,
  status lockstep.job_status,
  priority integer,
  noted boolean,
  owner text,
  group_key text,
  dedup_key text,
  tags text[],
  start_by timestamptz,
  batch_id uuid,
  trace text,
  payload jsonb
)
language sql
stable
as $$
  select
    g.id,
    p_now,
    p_pipeline_ids[array_position(p_pipelines, g.pipeline)],
    p_first_stage_ids[array_position(p_pipelines, g.pipeline)],
    coalesce(greatest(g."scheduledFor", p_now), p_now),
    case when g."scheduledFor" > p_now then g."scheduledFor" end,
    case when g."scheduledFor" > p_now then 'scheduled'::lockstep.job_status else 'pending'::lockstep.job_status end,
    coalesce(g.priority, 10),
    g.owner is not null or g."batchId" is not null
      or p_pipeline_ids[array_position(p_pipelines, g.pipeline)] = any (p_logging_ids),
    g.owner,
    g."groupKey",
    g."dedupKey",
    g.tags,
    g."startBy",
    g."batchId",
    g.trace,
    coalesce(g.payload, 'null')
  from jsonb_to_recordset(p_jobs) as g (
    id uuid, pipeline text, payload jsonb, priority integer,
    "scheduledFor" timestamptz, "dedupKey" text, owner text, tags text[],
    "groupKey" text, "startBy" timestamptz, "batchId" uuid, trace text
  )
  where g.pipeline = any (p_pipelines)
    and lockstep.add_refusal(
      g.payload, g.priority, g."scheduledFor", g."startBy", g.owner, g."groupKey", g.tags, g.trace, g."dedupKey", null, p_now
    ) is null;
$$;
