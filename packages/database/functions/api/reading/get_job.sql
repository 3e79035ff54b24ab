-- One job, live or finished, with everything that is known about it except its claim tokens, which are secret. parent_id is the job that
-- fanned out and added this one as a child, branch the name that it has there. If p_full is false, each of
-- payload, outputs and result that is larger than 256 KiB is null and named in left_out. wait says what a waiting job waits for: {"kind",
-- "signal", "since", "until", "onTimeout", "notBy", "schema", "pausedAt"}; null if it waits for no signal and does not sleep.
create or replace function lockstep.get_job(p_id uuid, p_full boolean default true)
returns table (
  id uuid,
  pipeline text,
  stage text,
  status lockstep.job_status,
  priority integer,
  attempt integer,
  losses integer,
  payload jsonb,
  outputs jsonb,
  result jsonb,
  error jsonb,
  progress integer,
  progress_note text,
  progress_data jsonb,
  owner text,
  dedup_key text,
  tags text[],
  added_at timestamptz,
  scheduled_for timestamptz,
  claimed_at timestamptz,
  finished_at timestamptz,
  cancel_requested_at timestamptz,
  worker_id uuid,
  attempts jsonb,
  version text,
  group_key text,
  batch_id uuid,
  fingerprint text,
  payload_bytes integer,
  left_out text[],
  forked_from uuid,
  parent_id uuid,
  branch text,
  wait jsonb
)
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_large_bytes constant integer := 256 * 1024;
begin
  select
    j.id, p.name, s.name, j.status, j.priority::integer, j.attempt::integer, j.losses::integer,
    j.payload, coalesce(j.outputs, '{}'), null::jsonb,
    j.history[cardinality(j.history)].detail -> 'error',
    j.progress::integer, j.progress_note, j.progress_data, j.owner, j.dedup_key, coalesce(j.tags, '{}'),
    j.added_at, nullif(j.scheduled_for, lockstep.never()), j.claimed_at, null::timestamptz, j.cancel_requested_at, j.worker_id,
    lockstep.attempts_of(
      case when j.status = 'processing' then lockstep.with_ended_attempt(j.history, (
        j.stage_id, j.attempt, 'processing', null, j.worker_id, j.claimed_at, null, lockstep.attempt_detail(null, j.log)
      )::lockstep.ended_attempt) else j.history end
    ),
    lockstep.job_version(
      j.status, j.stage_id, j.position, j.attempt, j.losses, j.scheduled_for, j.claimed_at, j.cancel_requested_at, null
    ),
    j.group_key, j.batch_id, null::text,
    case when s.kind in ('wait', 'sleep') and j.scheduled_for is not null then lockstep.told_wait(s, j.ready_at, j.scheduled_for) end
  into
    id, pipeline, stage, status, priority, attempt, losses, payload, outputs, result, error, progress, progress_note, progress_data,
    owner, dedup_key, tags, added_at, scheduled_for, claimed_at, finished_at, cancel_requested_at, worker_id, attempts, version,
    group_key, batch_id, fingerprint, wait
  from lockstep.jobs j
  join lockstep.stages s on s.id = j.stage_id
  join lockstep.pipelines p on p.id = j.pipeline_id
  where j.id = p_id;
  if not found then
    select
      f.id, p.name, s.name, f.status, f.priority::integer, f.attempt::integer, f.losses::integer,
      f.payload,
      coalesce(f.outputs, '{}')
        || case when f.status = 'completed' then jsonb_build_object(s.name, f.result) else '{}' end,
      f.result, f.error,
      f.progress::integer, f.progress_note, f.progress_data, f.owner, f.dedup_key, coalesce(f.tags, '{}'),
      f.added_at, nullif(f.scheduled_for, lockstep.never()), f.claimed_at, f.finished_at, f.cancel_requested_at, f.worker_id,
      lockstep.attempts_of(
        case when f.claim_token is not null then lockstep.with_ended_attempt(f.history, (
          f.stage_id, f.attempt,
          case
            when f.last_outcome is not null then f.last_outcome
            when f.status = 'completed' then 'done'
            else f.status::text
          end,
          null, f.worker_id, f.claimed_at, f.finished_at, lockstep.attempt_detail(f.error, f.log)
        )::lockstep.ended_attempt) else f.history end
      ),
      lockstep.job_version(
        f.status, f.stage_id, null, f.attempt, f.losses, f.scheduled_for, f.claimed_at, f.cancel_requested_at, f.finished_at
      ),
      f.group_key, f.batch_id, f.fingerprint
    into
      id, pipeline, stage, status, priority, attempt, losses, payload, outputs, result, error, progress, progress_note, progress_data,
      owner, dedup_key, tags, added_at, scheduled_for, claimed_at, finished_at, cancel_requested_at, worker_id, attempts, version,
      group_key, batch_id, fingerprint
    from lockstep.finished_jobs f
    join lockstep.stages s on s.id = f.stage_id
    join lockstep.pipelines p on p.id = f.pipeline_id
    where f.pipeline_id = any (array(select p.id from lockstep.pipelines p)) and f.id = p_id
    limit 1;
  end if;
  if id is null then
    return;
  end if;

  select k.forked_from into forked_from from lockstep.forks k where k.job_id = p_id;
  if batch_id is not null then
    select b.waiting_job_id, (
      select c.branch ->> 'name' from jsonb_array_elements(b.branches) as c (branch) where c.branch ->> 'jobId' = p_id::text
    )
    into parent_id, branch
    from lockstep.batches b
    where b.id = batch_id and b.fan_out_stage_id is not null;
  end if;

  payload_bytes := octet_length(payload::text);
  left_out := '{}';
  if not coalesce(p_full, true) then
    if payload_bytes > v_large_bytes then
      payload := null;
      left_out := left_out || 'payload'::text;
    end if;
    if octet_length(outputs::text) > v_large_bytes then
      outputs := null;
      left_out := left_out || 'outputs'::text;
    end if;
    if octet_length(result::text) > v_large_bytes then
      result := null;
      left_out := left_out || 'result'::text;
    end if;
  end if;
  return next;
end;
$$;
