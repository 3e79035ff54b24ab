-- Why a job of this pipeline cannot spend this amount of a budget; null: it can.
create or replace function lockstep.spend_refusal(p_pipeline_id integer, p_budget text, p_amount jsonb)
returns text
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  select case
    when (p_budget = any (p.budgets)) is not true then format('Pipeline "%s" does not list budget "%s".', p.name, left(p_budget, 120))
    when not coalesce(
      case when jsonb_typeof(p_amount) = 'number' then (p_amount)::numeric between 0 and 1000000000000000 end, false
    ) then format('What is spent of budget "%s" must be a number from 0 to 1000000000000000.', p_budget)
  end
  from lockstep.pipelines p
  where p.id = p_pipeline_id;
$$;
