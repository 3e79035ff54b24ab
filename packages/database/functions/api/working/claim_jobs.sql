-- Claims up to p_batch_size jobs for one worker: of the named stages ("pipeline/stage") in the order given, and in each stage the most
-- urgent first.
create or replace function lockstep.claim_jobs(
  p_worker_id uuid,
  p_stages text[],
  p_batch_size integer default 1,
  p_now timestamptz default clock_timestamp()
)
returns table (
  id uuid,
  pipeline text,
  stage text,
  claim_token uuid,
  attempt integer,
  payload jsonb,
  output jsonb
)
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_stage_ids integer[];
  v_gated integer[];
  v_stage_id integer;
  v_gate_now timestamptz;
  v_left integer := p_batch_size;
  v_claimed_ids uuid[];
  v_called_at constant timestamptz := clock_timestamp();
begin
  if p_batch_size is null or p_batch_size not between 1 and 10000 then
    raise exception 'The batch size is %, but must be from 1 to 10000.', p_batch_size using errcode = 'LS001';
  end if;
  if not exists (
    select from lockstep.workers w
    where w.id = p_worker_id and w.lost_at is null and w.lease_until > p_now
  ) then
    raise exception 'Worker % is not registered, or its lease is over.', p_worker_id
      using errcode = 'LS004', hint = 'Call register_worker with a new id, and heartbeat before each lease is over.';
  end if;

  v_stage_ids := array(
    select lockstep.require_stage(split_part(s, '/', 1), split_part(s, '/', 2)) from unnest(p_stages) s
  );
  -- all gates, and then all budgets, at once and in their order
  v_gated := array(
    select s.id
    from lockstep.stages s
    where s.id = any (v_stage_ids) and (s.is_gated or exists (select from lockstep.stage_gates g where g.stage_id = s.id))
  );
  v_gate_now := lockstep.lock_gates(v_gated, v_called_at, p_now);
  perform lockstep.lock_budgets(lockstep.budgets_of_stages(v_gated)) where cardinality(v_gated) > 0;
  foreach v_stage_id in array v_stage_ids loop
    exit when v_left <= 0;
    select coalesce(array_agg(c.id order by (c.detail ->> 'turn')::integer, c.priority, c.position), '{}')
    into v_claimed_ids
    from lockstep.settle_and_claim(
      p_worker_id, null, null, null, null, array[v_stage_id], array[v_left], null, array[2], null,
      p_now => case when v_stage_id = any (v_gated) then v_gate_now else p_now end
    ) c
    where c.kind = 'claimed';
    return query
      select c.id, p.name, s.name, c.claim_token, c.attempt::integer, c.payload, c.outputs -> lockstep.stage_before(s.id)
      from lockstep.jobs c
      join lockstep.stages s on s.id = c.stage_id
      join lockstep.pipelines p on p.id = s.pipeline_id
      where c.id = any (v_claimed_ids)
      order by array_position(v_claimed_ids, c.id);
    v_left := v_left - cardinality(v_claimed_ids);
  end loop;
end;
$$;
