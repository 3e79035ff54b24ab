-- Why a job is not running: a row for each reason, the most important first. explanation is a sentence for people; detail has its
-- numbers for programs, with spans in ms, or {} if there are none.
create or replace function lockstep.explain_job(p_id uuid, p_now timestamptz default clock_timestamp())
returns table (reason text, explanation text, detail jsonb)
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_job record;
  v_ahead integer;
  v_workers integer;
  v_is_held_back boolean;
  v_tries bigint;
  v_seconds double precision;
  v_starts_at timestamptz;
begin
  select j.*, s.name as stage, s.paused_at, s.kind, s.on_timeout, p.name as pipeline, w.name as worker
  into v_job
  from lockstep.jobs j
  join lockstep.stages s on s.id = j.stage_id
  join lockstep.pipelines p on p.id = j.pipeline_id
  left join lockstep.workers w on w.id = j.worker_id
  where j.id = p_id;

  if not found then
    return query
      select f.status::text, format('It ended at %s as %s.', to_char(f.finished_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"'), f.status),
        jsonb_build_object('endedAt', f.finished_at)
      from lockstep.finished_jobs f
      where f.pipeline_id = any (array(select p.id from lockstep.pipelines p)) and f.id = p_id
      limit 1;
    if not found then
      return query select 'not_found', format('There is no job %s: it was never added, or is past its retention.', p_id), '{}'::jsonb;
    end if;
    return;
  end if;

  if v_job.status = 'processing' then
    return query select 'processing', format(
      'It has been running in stage %s on worker %s for %s s, attempt %s.',
      v_job.stage, coalesce(v_job.worker, v_job.worker_id::text),
      round(date_part('epoch', p_now - v_job.claimed_at)::numeric, 1), v_job.attempt
    ), jsonb_build_object(
      'workerId', v_job.worker_id,
      'claimedAt', v_job.claimed_at,
      'runningMs', round(date_part('epoch', p_now - v_job.claimed_at)::numeric * 1000)
    );
    if v_job.cancel_requested_at is not null then
      return query select 'cancel_requested', format(
        'It was cancelled %s s ago, and its worker was asked to stop.', round(date_part('epoch', p_now - v_job.cancel_requested_at)::numeric, 1)
      ), jsonb_build_object('requestedAt', v_job.cancel_requested_at);
    end if;
    return;
  end if;

  if v_job.start_by <= p_now then
    return query select 'expired', format('It had to start by %s and has not started; the next sweep ends it as failed.',
      to_char(v_job.start_by at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"')),
      jsonb_build_object('startBy', v_job.start_by);
    return;
  end if;
  if v_job.status = 'scheduled' and v_job.scheduled_for is null then
    return query select * from lockstep.explain_batch_wait(v_job.waits_for);
    return;
  end if;

  if v_job.paused_at is not null then
    return query select 'paused', format('Stage %s has been paused since %s. Its jobs wait until somebody resumes it.',
      v_job.stage, to_char(v_job.paused_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"')),
      jsonb_build_object('pausedAt', v_job.paused_at);
  end if;

  if v_job.kind in ('wait', 'sleep') then
    return query select * from lockstep.explain_wait(v_job.stage, v_job.kind, v_job.ready_at, v_job.scheduled_for, v_job.on_timeout, p_now);
    return;
  end if;

  select count(*) into v_workers
  from lockstep.workers w
  where w.lost_at is null and w.lease_until > p_now and v_job.stage_id = any (w.stage_ids);
  if v_workers = 0 then
    return query select 'no_worker', format('No live worker serves %s/%s; start one that has this pipeline.', v_job.pipeline, v_job.stage),
      jsonb_build_object('workers', 0);
  end if;

  if v_job.start_by is not null then
    return query select 'expires', format('It ends as failed if it has not started by %s (%s s from now).',
      to_char(v_job.start_by at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"'), ceil(date_part('epoch', v_job.start_by - p_now))),
      jsonb_build_object('startBy', v_job.start_by);
  end if;

  if v_job.scheduled_for = lockstep.never() then
    return query select * from lockstep.explain_budget_wait(p_id, p_now);
    return;
  end if;
  if v_job.status in ('scheduled', 'retrying') and v_job.scheduled_for > p_now then
    return query select 'not_due', format('It waits %s until %s (%s s from now).',
      case v_job.status when 'retrying' then 'after a failed attempt' else 'as scheduled' end,
      to_char(v_job.scheduled_for at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"'),
      ceil(date_part('epoch', v_job.scheduled_for - p_now))),
      jsonb_build_object('dueAt', v_job.scheduled_for);
    return;
  end if;

  if v_job.suspect then
    return query select 'runs_alone', format('Workers lost while running it: %s. So it runs only on a worker that holds nothing else.', v_job.losses),
      jsonb_build_object('losses', v_job.losses);
    return;
  end if;

  return query select * from lockstep.explain_limits(v_job.stage_id, v_job.priority, v_job.group_key, p_now);
  v_is_held_back := found;

  v_ahead := lockstep.jobs_ahead(
    v_job.stage_id, v_job.priority, v_job.group_key,
    -- a due job that is not pending yet gets its position when a claim promotes it, behind all others
    case when v_job.status = 'pending' then v_job.position else 9223372036854775807 end
  );

  -- Only if workers serve the stage and nothing holds it back: nobody knows when a pause ends, or when a limit has room.
  if v_workers > 0 and v_job.paused_at is null and not v_is_held_back then
    select s.tries, s.seconds into v_tries, v_seconds from lockstep.stage_service(v_job.stage_id, p_now) s;
    v_starts_at := p_now + make_interval(secs => (least(v_ahead, 10000) + 1) * v_seconds / v_tries);
  end if;
  return query select 'waiting',
    format('Jobs ahead of it in stage %s: %s. Live workers of the stage: %s.',
      v_job.stage, case when v_ahead > 10000 then 'more than 10,000' else v_ahead::text end, v_workers)
    || case
      when v_workers = 0 or v_job.paused_at is not null or v_is_held_back then ''
      when v_starts_at is null then ' When it will start is not known: no attempt has ended there in the last ten minutes.'
      else format(' Recently %s attempts a minute have ended there, so it should start in %s %s s.',
        round((v_tries * 60 / v_seconds)::numeric, 1),
        case when v_ahead > 10000 then 'at least' else 'about' end,
        ceil(date_part('epoch', v_starts_at - p_now)))
    end,
    jsonb_build_object(
      'ahead', least(v_ahead, 10000),
      'isMoreAhead', v_ahead > 10000,
      'workers', v_workers,
      'endedPerMinute', round((v_tries * 60 / v_seconds)::numeric, 1),
      'startsAt', v_starts_at
    );
end;
$$;
