-- Cancels a waiting job at once; asks the worker of a running job to stop.
-- If the job waits for the children of its fan-out, they are cancelled too.
-- Answers cancelled, cancel_requested, already_finished or not_found; or changed, if p_if_version is given and the job has another
-- version by now.
create or replace function lockstep.cancel_job(
  p_id uuid,
  p_if_version text default null,
  p_now timestamptz default clock_timestamp()
)
returns text
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_status lockstep.job_status;
  v_worker_id uuid;
  v_is_noted boolean;
  v_batch_id uuid;
  v_version text;
  v_ended record;
begin
  select b.id into v_batch_id
  from lockstep.jobs j
  join lockstep.batches b on b.id = j.waits_for and b.fan_out_stage_id is not null
  where j.id = p_id and j.status = 'scheduled' and j.scheduled_for is null
  for update of b;    -- a batch is locked before the job that waits for it (count_batch_moves)
  if p_if_version is not null then
    v_version := lockstep.lock_job_version(p_id);
    if v_version is distinct from p_if_version then
      return case when v_version is null then 'not_found' else 'changed' end;
    end if;
  end if;
  if v_batch_id is not null then
    select * into v_ended from lockstep.end_fan_out(v_batch_id, 'cancelled', null, p_now);
    if v_ended.has_ended then
      perform lockstep.count_batch_moves(v_ended.moves, p_now);
      return 'cancelled';
    end if;
  end if;

  select j.status, j.worker_id, j.noted and j.cancel_requested_at is null into v_status, v_worker_id, v_is_noted
  from lockstep.jobs j where j.id = p_id for update;
  if v_status = 'scheduled' and exists (
    select
    from lockstep.jobs j
    join lockstep.batches b on b.id = j.waits_for and b.fan_out_stage_id is not null
    where j.id = p_id and j.scheduled_for is null
  ) then
    -- It has fanned out while this call waited for it. Its batch is locked late, so not if that means to wait.
    select b.id into v_batch_id
    from lockstep.jobs j
    join lockstep.batches b on b.id = j.waits_for
    where j.id = p_id
    for update of b skip locked;
    if not found then
      raise exception 'Job % has just begun to wait for its children. Cancel it again.', p_id using errcode = '40001';
    end if;
    perform lockstep.count_batch_moves(e.moves, p_now) from lockstep.end_fan_out(v_batch_id, 'cancelled', null, p_now) e;
    return 'cancelled';
  end if;

  if v_status = 'processing' then
    update lockstep.jobs j
    set cancel_requested_at = coalesce(j.cancel_requested_at, p_now)
    where j.id = p_id;
    if v_is_noted then
      perform lockstep.log_event(p_id, 'job.cancel_requested', '{}', p_now);
    end if;
    perform pg_notify('lockstep_cancel_' || replace(v_worker_id::text, '-', ''), '');
    return 'cancel_requested';
  elsif v_status is not null then
    perform lockstep.note_moves(lockstep.finish_waiting_jobs(array[p_id], 'cancelled', null, p_now), p_now);
    return 'cancelled';
  elsif exists (
    select from lockstep.finished_jobs f where f.pipeline_id = any (array(select p.id from lockstep.pipelines p)) and f.id = p_id
  ) then
    return 'already_finished';
  end if;
  return 'not_found';
end;
$$;
