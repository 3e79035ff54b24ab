-- Refuses an add after which one of these pipelines has more pending jobs than its maxPending. Reads the counters, so that the cost does not
-- grow with the number of jobs.
create or replace function lockstep.refuse_above_max_pending(p_pipeline_ids integer[])
returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_full record;
begin
  select p.name, p.max_pending, n.jobs into v_full
  from lockstep.pipelines p
  cross join lateral (
    select sum(c.jobs) as jobs
    from lockstep.stages s
    cross join lateral (
      select c.jobs from lockstep.stage_counts c where c.stage_id = s.id and c.status = 'pending'
      union all
      select m.jobs from lockstep.stage_moves m where m.stage_id = s.id and m.moved_to = 'pending'
      union all
      select -m.jobs from lockstep.stage_moves m where m.stage_id = s.id and m.moved_from = 'pending'
    ) c
    where s.pipeline_id = p.id
  ) n
  where p.id = any (p_pipeline_ids) and n.jobs > p.max_pending
  limit 1;

  if found then
    raise exception 'Pipeline "%" is full: with this add it would have % pending jobs, but its maxPending is %.',
      v_full.name, v_full.jobs, v_full.max_pending
      using errcode = 'LS005', hint = 'Try again when some of them have been claimed, or raise maxPending.';
  end if;
end;
$$;
