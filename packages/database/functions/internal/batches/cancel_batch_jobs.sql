-- Cancels up to 10,000 jobs of a batch, which the caller has locked. Waiting jobs are cancelled at once; the workers of running ones are
-- asked to stop. Jobs that another transaction has locked are skipped, since that transaction may wait for the batch. cancels_jobs then
-- stays true, and the next sweep goes on.
create or replace function lockstep.cancel_batch_jobs(p_batch_id uuid, p_now timestamptz)
returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_running uuid[];
  v_workers uuid[];
  v_parents uuid[];    -- the batches that some of these jobs wait for
  v_waiting uuid[];
begin
  select
    array_agg(j.id) filter (where j.status = 'processing'),
    array_agg(distinct j.worker_id) filter (where j.status = 'processing'),
    array_agg(b.id) filter (where b.id is not null),
    array_agg(j.id) filter (where j.status <> 'processing' and b.id is null)
  into v_running, v_workers, v_parents, v_waiting
  from (
    select j.id, j.status, j.worker_id, j.waits_for, j.scheduled_for
    from lockstep.jobs j
    where j.batch_id = p_batch_id and j.cancel_requested_at is null
    limit 10000
    for update skip locked
  ) j
  left join lockstep.batches b
    on b.id = j.waits_for and b.fan_out_stage_id is not null and j.status = 'scheduled' and j.scheduled_for is null;

  update lockstep.jobs j set cancel_requested_at = p_now where j.id = any (v_running);
  perform lockstep.log_event(r.id, 'job.cancel_requested', '{}', p_now) from unnest(v_running) as r (id);
  perform pg_notify('lockstep_cancel_' || replace(w.id::text, '-', ''), '') from unnest(v_workers) as w (id);
  if v_waiting is not null then
    perform lockstep.note_moves(lockstep.finish_waiting_jobs(v_waiting, 'cancelled', null, p_now), p_now);
  end if;
  perform lockstep.count_batch_moves(e.moves, p_now)
  from (
    select b.id from lockstep.batches b where b.id = any (v_parents) order by b.id desc for update skip locked
  ) b
  cross join lateral lockstep.end_fan_out(b.id, 'cancelled', null, p_now) e;

  update lockstep.batches b
  set cancels_jobs = exists (
    select from lockstep.jobs j where j.batch_id = p_batch_id and j.cancel_requested_at is null
  )
  where b.id = p_batch_id;
end;
$$;
