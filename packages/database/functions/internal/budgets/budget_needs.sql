-- What an attempt of a job needs of which budgets: a row for each that its stage spends of. p_amounts is what the code of the stage has
-- estimated, if it was asked. Plain SQL without settings, so that PostgreSQL inlines it.
create or replace function lockstep.budget_needs(p_stage_id integer, p_owner text, p_group_key text, p_amounts jsonb)
returns table (budget_id integer, scope text, amount numeric)
language sql
stable
as $$
  select b.id, lockstep.budget_scope(b.per, s.pipeline_id, p_owner, p_group_key),
    coalesce((k.value #>> '{}')::numeric, (p_amounts ->> k.key)::numeric, 0)
  from lockstep.stages s
  cross join lateral jsonb_each(s.spends) k
  join lockstep.budgets b on b.name = k.key
  where s.id = p_stage_id;
$$;
