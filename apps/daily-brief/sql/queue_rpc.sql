-- The queue under the names and with the arguments that existing clients use: no worker id, no heartbeat, no claim token. Each function
-- is a thin wrapper around one of Lockstep; a "job type" is a pipeline of one stage or more.

-- What is held by such a claim. Every claim is a worker of its own to Lockstep, so that its lease counts from the claim.
create table if not exists daily_brief.queue_claims (
  job_id uuid primary key,
  claim_token uuid not null unique,
  worker_id uuid not null,
  claimed_at timestamptz not null default clock_timestamp()
);
create index if not exists queue_claims_of_worker on daily_brief.queue_claims (worker_id);

create or replace function daily_brief.add_queue_job(
  p_user_id uuid,
  p_job_type text,
  p_metadata jsonb,
  p_priority integer default 10,
  p_scheduled_for timestamptz default now(),
  p_dedup_key text default null
) returns uuid
language sql
as $$
  select id
  from lockstep.add_job(p_job_type, p_metadata, p_priority => p_priority, p_scheduled_for => p_scheduled_for,
    p_dedup_key => p_dedup_key, p_owner => p_user_id::text)
$$;

-- Whoever claims has p_lease to end the jobs.
create or replace function daily_brief.claim_pending_jobs(
  p_job_types text[],
  p_batch_size integer default 5,
  p_lease interval default '15 minutes'
) returns table (id uuid, job_type text, stage text, claim_token uuid, attempts integer, metadata jsonb, previous jsonb)
language plpgsql
as $$
#variable_conflict use_column
declare
  v_worker_id constant uuid := gen_random_uuid();
  v_stages constant text[] := (
    select array_agg(distinct s.pipeline || '/' || s.stage)
    from lockstep.queue_stats() as s
    where s.pipeline = any (p_job_types)
  );
begin
  if v_stages is null then return; end if;
  perform lockstep.register_worker(v_worker_id, 'queue_rpc', p_lease, v_stages);
  return query
  with claimed as materialized (
    select c.*, row_number() over () as place
    from lockstep.claim_jobs(v_worker_id, v_stages, p_batch_size) as c
  ), noted as (
    insert into daily_brief.queue_claims as q (job_id, claim_token, worker_id)
    select c.id, c.claim_token, v_worker_id from claimed as c
    on conflict (job_id) do update
    set claim_token = excluded.claim_token, worker_id = excluded.worker_id, claimed_at = excluded.claimed_at
  )
  select c.id, c.pipeline, c.stage, c.claim_token, c.attempt::integer, c.payload, c.output
  from claimed as c
  order by c.place;
  if not found then perform lockstep.deregister_worker(v_worker_id); end if;
end
$$;

-- The token of the claim that holds a job.
create or replace function daily_brief.queue_claim_token(p_job_id uuid) returns uuid
language plpgsql
as $$
declare
  v_token constant uuid := (select q.claim_token from daily_brief.queue_claims as q where q.job_id = p_job_id);
begin
  if v_token is null then
    raise exception 'Job % is not claimed.', p_job_id
      using hint = 'Its claim was ended or reset. Claim it again with claim_pending_jobs.';
  end if;
  return v_token;
end
$$;

-- After the end of a claim: the last one of its worker takes the worker with it.
create or replace function daily_brief.forget_queue_claim(p_claim_token uuid) returns void
language plpgsql
as $$
declare
  v_worker_id uuid;
begin
  delete from daily_brief.queue_claims as q where q.claim_token = p_claim_token returning q.worker_id into v_worker_id;
  if v_worker_id is not null and not exists (select from daily_brief.queue_claims as q where q.worker_id = v_worker_id) then
    perform lockstep.deregister_worker(v_worker_id);
  end if;
end
$$;

-- p_claim_token: the one of your claim. With it, an answer that comes after somebody else has claimed the job changes nothing.
create or replace function daily_brief.complete_queue_job(
  p_job_id uuid,
  p_result jsonb default null,
  p_claim_token uuid default null
) returns text
language plpgsql
as $$
declare
  v_token constant uuid := coalesce(p_claim_token, daily_brief.queue_claim_token(p_job_id));
  v_answer constant text := lockstep.complete_job(p_job_id, v_token, p_result);
begin
  perform daily_brief.forget_queue_claim(v_token);
  return v_answer;
end
$$;

create or replace function daily_brief.fail_queue_job(
  p_job_id uuid,
  p_error_message text,
  p_retry boolean default true,
  p_claim_token uuid default null
) returns text
language plpgsql
as $$
declare
  v_token constant uuid := coalesce(p_claim_token, daily_brief.queue_claim_token(p_job_id));
  v_answer constant text :=
    lockstep.fail_job(p_job_id, v_token, jsonb_build_object('message', p_error_message), p_retry);
begin
  perform daily_brief.forget_queue_claim(v_token);
  return v_answer;
end
$$;

create or replace function daily_brief.cancel_queue_job(p_job_id uuid) returns text
language sql
as $$
  select lockstep.cancel_job(p_job_id)
$$;

-- Takes back what was claimed longer ago than this, and what lost workers hold. Workers with a heartbeat keep their jobs, however old.
create or replace function daily_brief.reset_stalled_jobs(p_stalled_for interval default '15 minutes') returns integer
language plpgsql
as $$
begin
  perform lockstep.deregister_worker(stalled.worker_id)
  from (
    select distinct q.worker_id from daily_brief.queue_claims as q where q.claimed_at < clock_timestamp() - p_stalled_for
  ) as stalled;
  delete from daily_brief.queue_claims as q where q.claimed_at < clock_timestamp() - p_stalled_for;
  return lockstep.reset_stalled_jobs();
end
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
