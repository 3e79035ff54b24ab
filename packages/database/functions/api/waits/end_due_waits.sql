-- Ends the waits that are due, up to 1,000 of each stage: sleeps that are over, and waits whose signal did not come in time. p_stage_ids
-- are the stages to look at; null: all. A paused stage lets no job through; those that were signalled meanwhile go on when it is resumed.
-- Returns how many waits it ended, when the next one is due, in ms from now (null if none is), and the jobs whose waits it ended.
create or replace function lockstep.end_due_waits(
  p_stage_ids integer[] default null,
  p_now timestamptz default clock_timestamp()
)
returns table (ended integer, next_due_ms double precision, job_ids uuid[])
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_waited uuid[];
  v_slept uuid[];
  v_signalled record;
  v_moves lockstep.job_move[];
begin
  select array_agg(d.id) filter (where s.kind = 'wait'), array_agg(d.id) filter (where s.kind = 'sleep')
  into v_waited, v_slept
  from lockstep.stages s
  cross join lateral (
    select j.id
    from lockstep.jobs j
    where j.stage_id = s.id and j.position is null and j.scheduled_for <= p_now
    order by j.scheduled_for, j.id
    limit 1000
    for update skip locked
  ) d
  where s.kind in ('wait', 'sleep') and s.paused_at is null
    and (p_stage_ids is null or s.id = any (p_stage_ids));

  if v_waited is not null then
    -- signals that came while the wait was paused
    with taken as (
      update lockstep.signals g
      set taken_at = p_now
      from lockstep.jobs j
      join lockstep.stages s on s.id = j.stage_id
      where j.id = any (v_waited)
        and g.job_id = j.id and g.name = s.name and g.job_added_at = j.added_at and g.taken_at is null
      returning g.job_id, g.value, g.sent_by
    )
    select array_agg(t.job_id) as ids, array_agg(t.value) as values, array_agg(t.sent_by) as senders into v_signalled from taken t;
    if v_signalled.ids is not null then
      v_moves := lockstep.pass_waits(v_signalled.ids, 'signalled', v_signalled.values, v_signalled.senders, p_now);
    end if;
    v_moves := v_moves || lockstep.pass_waits(
      array(select w.id from unnest(v_waited) as w (id) where (w.id = any (v_signalled.ids)) is not true), 'timed_out', null, null, p_now
    );
  end if;
  if v_slept is not null then
    v_moves := v_moves || lockstep.pass_waits(v_slept, 'slept', null, null, p_now);
  end if;
  perform lockstep.note_moves(v_moves, p_now);

  return query
    select
      coalesce(cardinality(v_waited), 0) + coalesce(cardinality(v_slept), 0),
      ceil(extract(epoch from min(d.scheduled_for) - p_now) * 1000)::double precision,
      coalesce(v_waited || v_slept, '{}')
    from lockstep.stages s
    cross join lateral (
      select greatest(j.scheduled_for, p_now) as scheduled_for    -- more may be due than one call ends
      from lockstep.jobs j
      where j.stage_id = s.id and j.position is null and j.scheduled_for < lockstep.never()
      order by j.scheduled_for, j.id
      limit 1
    ) d
    where s.kind in ('wait', 'sleep') and s.paused_at is null
      and (p_stage_ids is null or s.id = any (p_stage_ids));
end;
$$;
