-- Ends the job that waits for the children of its fan-out, as failed or cancelled, and cancels the children that are left.
-- It ends in the stage that fanned out, so that a retry by a person begins there, with new children.
-- The caller has locked the batch. Returns false if no job waits for it, or it is not a fan-out.
create or replace function lockstep.end_fan_out(
  p_batch_id uuid,
  p_status lockstep.job_status,
  p_error jsonb,
  p_now timestamptz
)
returns boolean
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_parent record;
begin
  select j.id, j.stage_id, b.fan_out_stage_id into v_parent
  from lockstep.batches b
  join lockstep.jobs j on j.waits_for = b.id and j.status = 'scheduled' and j.scheduled_for is null
  where b.id = p_batch_id and b.fan_out_stage_id is not null
  for update of j;
  if not found then
    return false;
  end if;

  update lockstep.jobs j set stage_id = v_parent.fan_out_stage_id where j.id = v_parent.id;
  insert into lockstep.stage_moves (at, stage_id, moved_from, moved_to, jobs) values
    (p_now, v_parent.stage_id, 'scheduled', '', 1),
    (p_now, v_parent.fan_out_stage_id, '', 'scheduled', 1);
  perform lockstep.finish_waiting_job(v_parent.id, p_status, p_error, p_now);
  perform lockstep.cancel_batch_jobs(p_batch_id, p_now);
  return true;
end;
$$;
