-- Ends the job that waits for the children of its fan-out, as failed or cancelled, and cancels the children that are left.
-- It ends in the stage that fanned out, so that a retry by a person begins there.
-- The caller has locked the batch. has_ended is false if no job waits for it, or it is not a fan-out. The caller must pass moves to
-- count_batch_moves.
create or replace function lockstep.end_fan_out(
  p_batch_id uuid,
  p_status lockstep.job_status,
  p_error jsonb,
  p_now timestamptz,
  out has_ended boolean,
  out moves lockstep.job_move[]
)
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
  has_ended := found;
  if not has_ended then
    return;
  end if;

  if v_parent.stage_id <> v_parent.fan_out_stage_id then
    update lockstep.jobs j set stage_id = v_parent.fan_out_stage_id where j.id = v_parent.id;
    insert into lockstep.stage_moves (at, stage_id, moved_from, moved_to, jobs) values
      (p_now, v_parent.stage_id, 'scheduled', '', 1),
      (p_now, v_parent.fan_out_stage_id, '', 'scheduled', 1);
  end if;
  moves := lockstep.finish_jobs(
    array[(v_parent.id, null, p_status, null, false, null, null, p_error, null, null, null)::lockstep.job_end], p_now
  );
  if moves is not null then
    perform lockstep.log_moves(moves, p_now);
  end if;
  perform lockstep.cancel_batch_jobs(p_batch_id, p_now);
end;
$$;
