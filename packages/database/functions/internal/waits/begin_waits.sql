-- Begins the waits of jobs that have come to a stage that waits; the caller has locked their rows. If a signal was kept for a job, it is
-- taken at once, and the job goes on. A job whose children are still running begins when they have ended (end_batch).
-- Returns the moves that the caller must pass to note_moves, as finish_jobs does.
create or replace function lockstep.begin_waits(p_ids uuid[], p_now timestamptz)
returns lockstep.job_move[]
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_ids uuid[];
  v_moves lockstep.job_move[];
  v_taken record;
begin
  with begun as (
    update lockstep.jobs j
    set ready_at = p_now,
        scheduled_for = case
          -- a paused wait takes no signal, but when it is resumed, jobs that are due come first (end_due_waits)
          when s.paused_at is not null and exists (
            select from lockstep.signals g
            where g.job_id = j.id and g.name = s.name and g.job_added_at = j.added_at and g.taken_at is null
          ) then p_now
          else coalesce(p_now + make_interval(secs => s.wait_ms / 1000.0), lockstep.never())
        end
    from lockstep.stages s
    where j.id = any (p_ids) and s.id = j.stage_id
      -- a fork names the batch of the job that it was forked from, but does not wait for it
      and not exists (
        select from lockstep.batches b where b.id = j.waits_for and b.waiting_job_id = j.id and b.finished_at is null
      )
    returning j.id, j.pipeline_id, j.stage_id, j.scheduled_for, j.owner, j.group_key, j.batch_id, j.noted, s.kind, s.name
  )
  select
    array_agg(b.id),
    array_agg((
      b.id, b.pipeline_id, b.stage_id, null, 'scheduled', 'waiting', 0, b.owner, b.group_key, b.batch_id, false,
      jsonb_strip_nulls(jsonb_build_object(
        'signal', case when b.kind = 'wait' then b.name end, 'until', nullif(b.scheduled_for, lockstep.never())
      ))
    )::lockstep.job_move) filter (where b.noted)
  into v_ids, v_moves
  from begun b;

  with taken as (
    update lockstep.signals g
    set taken_at = p_now
    from lockstep.jobs j
    join lockstep.stages s on s.id = j.stage_id
    where j.id = any (v_ids)
      and s.kind = 'wait' and s.paused_at is null
      and g.job_id = j.id and g.name = s.name and g.job_added_at = j.added_at and g.taken_at is null
    returning g.job_id, g.value, g.sent_by
  )
  select array_agg(t.job_id) as ids, array_agg(t.value) as values, array_agg(t.sent_by) as senders into v_taken from taken t;
  if v_taken.ids is null then
    return v_moves;
  end if;
  return v_moves || lockstep.pass_waits(v_taken.ids, 'signalled', v_taken.values, v_taken.senders, p_now);
end;
$$;
