-- The queue under the names that existing clients use. Each function is a thin wrapper around one of Lockstep;
-- a "job type" is a pipeline of one stage or more.
create or replace function daily_brief.add_queue_job(
  p_user_id text,
  p_job_type text,
  p_metadata jsonb,
  p_priority integer default 10,
  p_scheduled_for timestamptz default null,
  p_dedup_key text default null
) returns uuid
language sql
as $$
  select id
  from lockstep.add_job(p_job_type, p_metadata, p_priority => p_priority, p_scheduled_for => p_scheduled_for,
    p_dedup_key => p_dedup_key, p_owner => p_user_id)
$$;

-- The worker registers itself with its first claim, for as long as it may be silent.
create or replace function daily_brief.claim_pending_jobs(
  p_worker_id uuid,
  p_job_types text[],
  p_batch_size integer default 5,
  p_lease interval default '15 minutes'
) returns table (id uuid, job_type text, stage text, claim_token uuid, attempts integer, metadata jsonb, previous jsonb)
language plpgsql
as $$
declare
  v_stages text[] := (
    select array_agg(distinct s.pipeline || '/' || s.stage)
    from lockstep.queue_stats() as s
    where s.pipeline = any (p_job_types)
  );
begin
  if v_stages is null then return; end if;
  perform lockstep.register_worker(p_worker_id, 'sql', p_lease, v_stages);
  return query
  select c.id, c.pipeline, c.stage, c.claim_token, c.attempt::integer, c.payload, c.output
  from lockstep.claim_jobs(p_worker_id, v_stages, p_batch_size) as c;
end
$$;

create or replace function daily_brief.complete_queue_job(p_job_id uuid, p_claim_token uuid, p_result jsonb default null)
returns text
language sql
as $$
  select lockstep.complete_job(p_job_id, p_claim_token, p_result)
$$;

create or replace function daily_brief.fail_queue_job(
  p_job_id uuid,
  p_claim_token uuid,
  p_error_message text,
  p_retry boolean default true
) returns text
language sql
as $$
  select lockstep.fail_job(p_job_id, p_claim_token, jsonb_build_object('message', p_error_message), p_retry)
$$;

create or replace function daily_brief.reset_stalled_jobs() returns integer
language sql
as $$
  select lockstep.reset_stalled_jobs()
$$;

create or replace function daily_brief.get_queue_stats()
returns table (job_type text, status text, count bigint)
language sql
as $$
  select pipeline, status::text, sum(jobs)::bigint
  from lockstep.queue_stats()
  group by pipeline, status
  order by pipeline, status
$$;
