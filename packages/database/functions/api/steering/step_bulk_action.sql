-- Cancels or retries the next p_batch jobs of a bulk action and records what became of each. Answers running (there may be more), done,
-- aborted, busy (another caller is doing a step; this one does not wait) or not_found. Any caller may continue where another one stopped
-- or died.
-- It always comes to an end: each job is seen once, from new to old, and a retried job that fails again is not seen again.
create or replace function lockstep.step_bulk_action(
  p_id uuid,
  p_batch integer default 50,
  p_now timestamptz default clock_timestamp()
)
returns text
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
set lock_timeout = '500ms'    -- a job that is locked for longer belongs to a long transaction
as $$
declare
  v_bulk lockstep.bulk_actions;
  v_ids uuid[];
  v_places jsonb[];
  v_are_later boolean[];
  v_named uuid[];
  v_place jsonb;
  v_is_last boolean;
  v_answer text;
  v_seen integer := 0;
  v_meant bigint;
  v_failure jsonb;
  v_began constant timestamptz := clock_timestamp();
begin
  if p_batch is null or p_batch not between 1 and 100 then
    raise exception 'p_batch is %, but must be from 1 to 100.', p_batch using errcode = 'LS001';
  end if;
  select b.* into v_bulk from lockstep.bulk_actions b where b.id = p_id and b.status = 'running' for update skip locked;
  if not found then
    return coalesce(
      (select case when b.status = 'running' then 'busy' else b.status end from lockstep.bulk_actions b where b.id = p_id),
      'not_found'
    );
  end if;

  if v_bulk.ids is null then
    -- Whether a job was added later is read from its row: an id follows the clock of whoever drew it, or no clock at all.
    select array_agg(f.id order by f.number) filter (where f.id is not null),
      array_agg(f.place order by f.number) filter (where f.id is not null),
      array_agg(coalesce(l.added_at >= v_bulk.started_at, false) order by f.number) filter (where f.id is not null),
      (array_agg(f.place) filter (where f.id is null))[1]
    into v_ids, v_places, v_are_later, v_place
    from lockstep.find_jobs(v_bulk.filter, '-id', v_bulk.place, false, p_batch) with ordinality
      as f (id, pipeline_id, status, finished_at, place, number)
    left join lateral (
      select j.added_at from lockstep.jobs j where f.finished_at is null and j.id = f.id
      union all
      select j.added_at from lockstep.finished_jobs j
      where j.pipeline_id = f.pipeline_id and j.id = f.id and j.status = f.status and j.finished_at = f.finished_at
    ) l on true;
    v_is_last := v_place is null and coalesce(cardinality(v_ids), 0) < p_batch;
  else
    v_ids := v_bulk.ids[v_bulk.seen + 1:v_bulk.seen + p_batch];
    v_is_last := v_bulk.seen + p_batch >= cardinality(v_bulk.ids);
    if v_bulk.filter <> '{}' then
      v_named := array(
        select f.id
        from lockstep.find_jobs(v_bulk.filter || jsonb_build_object('ids', v_ids), '-id', null, false, p_batch) f
        where f.id is not null
      );
    end if;
  end if;

  for v_number in 1..coalesce(cardinality(v_ids), 0) loop
    if v_are_later[v_number] then
      v_seen := v_number;
      continue;
    end if;
    v_failure := null;
    begin
      if v_ids[v_number] <> all (v_named) then
        v_answer := 'not_found';
      elsif v_bulk.action = 'cancel' then
        v_answer := lockstep.cancel_job(v_ids[v_number], p_now => p_now);
      else
        select r.answer into v_answer from lockstep.retry_job(v_ids[v_number], v_bulk.from_stage, p_now => p_now) r;
      end if;
    exception
      when lock_not_available or deadlock_detected then
        -- Whoever holds this job may wait for one that this call has locked, so the call ends here and releases those.
        if v_number > 1 then
          exit;
        end if;
        v_failure := jsonb_build_object('code', sqlstate, 'message', 'Another transaction has locked this job.');
      when others then
        v_failure := jsonb_build_object('code', sqlstate, 'message', left(sqlerrm, 500));
    end;

    v_seen := v_number;
    if v_failure is not null then
      v_bulk.failed := v_bulk.failed + 1;
      if jsonb_array_length(v_bulk.failures) < 20 then
        v_bulk.failures := v_bulk.failures || (jsonb_build_object('jobId', v_ids[v_number]) || v_failure);
      end if;
    elsif v_answer in ('cancelled', 'cancel_requested', 'applied') then
      v_bulk.done := v_bulk.done + 1;
    else
      v_bulk.skipped := v_bulk.skipped
        || jsonb_build_object(v_answer, coalesce((v_bulk.skipped ->> v_answer)::integer, 0) + 1);
    end if;
    exit when clock_timestamp() > v_began + interval '3 seconds';    -- so that no row stays locked for longer
  end loop;

  v_is_last := v_is_last and v_seen = coalesce(cardinality(v_ids), 0);
  v_meant := v_bulk.done + v_bulk.failed + (select coalesce(sum(s.value::bigint), 0) from jsonb_each_text(v_bulk.skipped) s);
  update lockstep.bulk_actions b
  set done = v_bulk.done,
      skipped = v_bulk.skipped,
      failed = v_bulk.failed,
      failures = v_bulk.failures,
      -- A count that stopped early is corrected by what is found; at the end it is exact.
      matched = case when b.is_matched_exact then b.matched when v_is_last then v_meant else greatest(b.matched, v_meant) end,
      is_matched_exact = b.is_matched_exact or v_is_last,
      seen = b.seen + v_seen,
      place = case
        when v_bulk.ids is not null then null
        when v_place is not null and v_seen = coalesce(cardinality(v_ids), 0) then v_place
        when v_seen > 0 then v_places[v_seen]
        else b.place
      end,
      stepped_at = p_now,
      status = case when v_is_last then 'done' else 'running' end,
      finished_at = case when v_is_last then p_now end
  where b.id = p_id;
  return case when v_is_last then 'done' else 'running' end;
end;
$$;
