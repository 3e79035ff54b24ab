-- Counts what an effect has spent, {budget: amount}, once: the caller has just recorded the effect as done. If the claim that began the
-- effect no longer holds its job, its reservation is gone, but the effect has happened all the same.
create or replace function lockstep.spend_in_effect(p_id uuid, p_claim_token uuid, p_spends jsonb, p_now timestamptz)
returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_job record;
  v_spend record;
  v_refusal text;
begin
  select j.pipeline_id, j.owner, j.group_key, true as is_held into v_job
  from lockstep.jobs j where j.id = p_id and j.claim_token = p_claim_token;
  if not found then
    select o.pipeline_id, o.owner, o.group_key, false as is_held into v_job
    from (
      select j.pipeline_id, j.owner, j.group_key from lockstep.jobs j where j.id = p_id
      union all
      select f.pipeline_id, f.owner, f.group_key
      from lockstep.finished_jobs f
      where f.pipeline_id = any (array(select p.id from lockstep.pipelines p)) and f.id = p_id
    ) o
    limit 1;
    if not found then
      return;
    end if;
  end if;

  for v_spend in select k.key as budget, k.value as amount from jsonb_each(p_spends) k loop
    v_refusal := lockstep.spend_refusal(v_job.pipeline_id, v_spend.budget, v_spend.amount);
    if v_refusal is not null then
      raise exception '%', v_refusal using errcode = 'LS001';
    end if;
    if v_job.is_held then
      perform lockstep.add_spent(p_id, v_spend.budget, (v_spend.amount)::numeric, null, p_now);
    else
      insert into lockstep.budget_entries (budget_id, scope, period_began, spent, attempts)
      select b.id, lockstep.budget_scope(b.per, v_job.pipeline_id, v_job.owner, v_job.group_key),
        lockstep.budget_period(b.every_ms, p_now), (v_spend.amount)::numeric, 0
      from lockstep.budgets b
      where b.name = v_spend.budget;
    end if;
  end loop;
end;
$$;
