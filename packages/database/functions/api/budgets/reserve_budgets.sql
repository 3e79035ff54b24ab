-- Reserves what the code of their stages has estimated for jobs that were just claimed, before their handlers run; many jobs in one call.
-- p_jobs is an array of {"id", "token", "amounts": {budget: estimate}}. Returns a row for each, by its number in the array:
--   reserved    the handler may run
--   waits       a budget has no room: the job has been put back, its attempt does not count, and it comes again when there is room
--   lease_lost  the claim no longer holds the job
--   refused     the amounts cannot be reserved, and detail says why
create or replace function lockstep.reserve_budgets(
  p_jobs jsonb,
  p_now timestamptz default clock_timestamp()
)
returns table (number integer, answer text, detail text)
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_job record;
  v_numbers integer[] := '{}';
  v_ids uuid[] := '{}';
  v_tokens uuid[] := '{}';
  v_amounts jsonb[] := '{}';
  v_budget_ids integer[];
  v_reserved record;
begin
  for v_job in
    select g.number, g.id, g.token, g.amounts, j.pipeline_id, j.stage_id, j.cancel_requested_at
    from (
      select g.id, g.token, g.amounts, g.number
      from rows from (jsonb_to_recordset(p_jobs) as (id uuid, token uuid, amounts jsonb)) with ordinality as g (id, token, amounts, number)
      order by g.id    -- all functions lock jobs in this order
      offset 0
    ) g
    left join lateral (
      select j.pipeline_id, j.stage_id, j.cancel_requested_at
      from lockstep.jobs j
      where j.id = g.id and j.claim_token = g.token
      for update
    ) j on true
  loop
    number := v_job.number;
    detail := null;
    if v_job.pipeline_id is null then
      answer := 'lease_lost';
      return next;
      continue;
    end if;
    detail := case
      when jsonb_typeof(v_job.amounts) is distinct from 'object' then 'The amounts must be an object such as {"tokens": 2000}.'
      else (
        select lockstep.spend_refusal(v_job.pipeline_id, k.key, k.value) as refusal
        from jsonb_each(v_job.amounts) k
        order by lockstep.spend_refusal(v_job.pipeline_id, k.key, k.value) is null
        limit 1
      )
    end;
    if detail is not null then
      answer := 'refused';
      return next;
    elsif v_job.cancel_requested_at is not null then
      answer := 'reserved';    -- its handler is about to be stopped, and its end says that it is cancelled
      return next;
    else
      v_numbers := v_numbers || v_job.number::integer;
      v_ids := v_ids || v_job.id;
      v_tokens := v_tokens || v_job.token;
      v_amounts := v_amounts || v_job.amounts;
    end if;
  end loop;
  if cardinality(v_ids) = 0 then
    return;
  end if;

  -- room goes to whoever was first in line
  select array_agg(g.number order by j.priority, j.position), array_agg(g.id order by j.priority, j.position),
    array_agg(g.token order by j.priority, j.position), array_agg(g.amounts order by j.priority, j.position)
  into v_numbers, v_ids, v_tokens, v_amounts
  from unnest(v_numbers, v_ids, v_tokens, v_amounts) as g (number, id, token, amounts)
  join lockstep.jobs j on j.id = g.id;

  v_budget_ids := lockstep.budgets_of_stages(array(select distinct j.stage_id from lockstep.jobs j where j.id = any (v_ids)));
  perform lockstep.lock_budgets(v_budget_ids);
  select * into v_reserved from lockstep.reserve_in_order(v_ids, v_amounts, false, cardinality(v_ids), null, p_now);

  if cardinality(v_reserved.lacking_ids) > 0 then
    perform lockstep.settle_jobs(
      v_reserved.lacking_ids,
      array(select v_tokens[array_position(v_ids, l.id)] from unnest(v_reserved.lacking_ids) with ordinality as l (id, number) order by l.number),
      (select jsonb_agg('{"outcome": "release"}'::jsonb) from unnest(v_reserved.lacking_ids)),
      p_now => p_now
    );
    perform lockstep.park_jobs(
      v_reserved.lacking_ids, v_reserved.lacking_budgets, v_reserved.lacking_scopes, v_reserved.are_too_large,
      array(select v_amounts[array_position(v_ids, l.id)] from unnest(v_reserved.lacking_ids) with ordinality as l (id, number) order by l.number),
      p_now
    );
  end if;
  return query
    select n.number, case when n.id = any (v_reserved.lacking_ids) then 'waits' else 'reserved' end, null::text
    from unnest(v_numbers, v_ids) as n (number, id);
end;
$$;
