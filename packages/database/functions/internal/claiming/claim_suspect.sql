-- Claims one suspect, for a worker that holds nothing. Returns rows as settle_and_claim does.
create or replace function lockstep.claim_suspect(
  p_worker_id uuid,
  p_claim_token uuid,
  p_stage_ids integer[],
  p_now timestamptz
)
returns setof lockstep.exchange_row
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_id uuid;
  v_is_spending boolean;
  v_reserved record;
begin
  select j.id, s.spends is not null into v_id, v_is_spending
  from lockstep.jobs j
  join lockstep.stages s on s.id = j.stage_id
  where j.suspect and j.status = 'pending' and j.stage_id = any (p_stage_ids)
    and (j.start_by is null or j.start_by > p_now)
    and (select g.room > 0 from lockstep.group_room(j.stage_id, coalesce(j.group_key, ''), 1, p_now) g)
  order by j.position
  limit 1
  for update of j skip locked;
  if v_id is null then
    return;
  end if;
  if v_is_spending then
    select * into v_reserved from lockstep.reserve_for_claim(array[v_id], 1, p_now);
    if cardinality(v_reserved.fitting_ids) = 0 then
      return;
    end if;
  end if;

  return query
    with claimed as (
      update lockstep.jobs j
      set status = 'processing',
          claim_token = coalesce(p_claim_token, gen_random_uuid()),
          worker_id = p_worker_id,
          held_by = p_worker_id,
          claimed_at = p_now,
          attempt = j.attempt + 1,
          counted = (select s.is_gated from lockstep.stages s where s.id = j.stage_id)
      where j.id = v_id
      returning j.*
    ),
    counted as (
      insert into lockstep.stage_moves (at, stage_id, moved_from, moved_to, jobs)
      select p_now, c.stage_id, 'pending', 'processing', 1
      from claimed c
    )
    select 'claimed', c.id, c.stage_id, c.attempt, c.priority, c.position,
      c.owner, c.tags, c.payload, c.outputs,
      case when c.group_key is not null or c.batch_id is not null or c.trace is not null
        then jsonb_build_object('groupKey', c.group_key, 'batchId', c.batch_id, 'trace', c.trace, 'turn', null) end
    from claimed c
    cross join lateral lockstep.use_rates(c.stage_id, array[coalesce(c.group_key, '')], p_now);
end;
$$;
