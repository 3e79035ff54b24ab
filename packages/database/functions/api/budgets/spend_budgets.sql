-- Counts what running attempts have spent, many jobs in one call. p_spends is an array of
--   {"id", "token", "budget", "total"}
-- "total" is all that the attempt has reported of this budget with this function so far, so that a call may be sent again. What effects
-- have spent is not part of it (finish_effect). It belongs to the period in which the job was claimed, and stays spent whatever becomes of
-- the attempt. Returns a row for each, by its number in the array:
--   applied     it is counted, and durable when this transaction commits
--   lease_lost  the claim no longer holds the job; nothing is counted
--   busy        another transaction has locked the job; send it again later
--   refused     it cannot be spent, and detail says why
create or replace function lockstep.spend_budgets(
  p_spends jsonb,
  p_now timestamptz default clock_timestamp()
)
returns table (number integer, answer text, detail text)
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_locked bigint[];
  v_spend record;
begin
  if current_setting('synchronous_commit') = 'off' then
    perform set_config('synchronous_commit', 'on', true);
  end if;
  -- as write_streams does it
  v_locked := array(
    select g.number
    from (
      select g.number, j.id
      from rows from (jsonb_to_recordset(p_spends) as (id uuid, token uuid)) with ordinality as g (id, token, number)
      join lockstep.jobs j on j.id = g.id and j.claim_token = g.token
      order by j.id
      for no key update of j skip locked
    ) g
  );

  for v_spend in
    select g.number, g.id, g.token, g.budget, g.total
    from rows from (
      jsonb_to_recordset(p_spends) as (id uuid, token uuid, budget text, total jsonb)
    ) with ordinality as g (id, token, budget, total, number)
    order by g.id, g.number
  loop
    number := v_spend.number;
    detail := null;
    if v_spend.number <> all (v_locked) then
      answer := case
        when exists (select from lockstep.jobs j where j.id = v_spend.id and j.claim_token = v_spend.token) then 'busy'
        else 'lease_lost'
      end;
      return next;
      continue;
    end if;
    detail := (
      select lockstep.spend_refusal(j.pipeline_id, v_spend.budget, v_spend.total) from lockstep.jobs j where j.id = v_spend.id
    );
    answer := case when detail is null then 'applied' else 'refused' end;
    if detail is null then
      perform lockstep.add_spent(v_spend.id, v_spend.budget, null, (v_spend.total)::numeric, p_now);
    end if;
    return next;
  end loop;
end;
$$;
