-- Adds one job. If there is a twin (a live job with the same pipeline, owner and dedup key), returns that one with created = false.
-- p_dedup is the mode of the dedup key, as in add_jobs.
create or replace function lockstep.add_job(
  p_pipeline text,
  p_payload jsonb default 'null',
  p_priority integer default 10,
  p_scheduled_for timestamptz default null,
  p_dedup_key text default null,
  p_owner text default null,
  p_id uuid default null,
  p_tags text[] default null,
  p_group_key text default null,
  p_start_by timestamptz default null,
  p_dedup jsonb default null,
  p_signal_key text default null,
  p_now timestamptz default clock_timestamp()
)
returns table (id uuid, created boolean, status lockstep.job_status)
language sql
security definer
set search_path = pg_catalog, pg_temp
as $$
  select a.id, a.created, a.status
  from lockstep.add_jobs(
    jsonb_build_array(jsonb_build_object(
      'pipeline', p_pipeline,
      'payload', p_payload,
      'priority', p_priority,
      'scheduledFor', p_scheduled_for,
      'dedupKey', p_dedup_key,
      'owner', p_owner,
      'id', p_id,
      'tags', p_tags,
      'groupKey', p_group_key,
      'startBy', p_start_by,
      'dedup', p_dedup,
      'signalKey', p_signal_key
    )),
    p_now => p_now
  ) a;
$$;
