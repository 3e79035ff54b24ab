-- The budgets that these stages spend of.
create or replace function lockstep.budgets_of_stages(p_stage_ids integer[])
returns integer[]
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(array_agg(distinct b.id), '{}')
  from lockstep.stages s
  cross join lateral jsonb_object_keys(s.spends) as k (name)
  join lockstep.budgets b on b.name = k.name
  where s.id = any (p_stage_ids);
$$;
