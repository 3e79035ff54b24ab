-- Stores the budgets of definitions that were just stored, each {"name", "per", "limit", "everyMs", "unit"}. Jobs that wait for one that has
-- changed, or in stages that were defined anew, are looked at by the next claim or sweep. Last of all that define_pipelines does: a
-- transaction that holds budgets must not wait for jobs.
create or replace function lockstep.apply_budgets(p_budgets jsonb, p_pipeline_ids integer[])
returns void
language sql
security definer
set search_path = pg_catalog, pg_temp
as $$
  insert into lockstep.budgets (name, per, unit, defined_limit, every_ms)
  select distinct on (g.name collate "C") g.name, coalesce(g.per, 'total'), g.unit, g.limit, g."everyMs"
  from jsonb_to_recordset(p_budgets) as g (name text, per text, unit text, "limit" numeric, "everyMs" bigint)
  where not exists (select from lockstep.budgets b where b.name = g.name)
  order by g.name collate "C"
  on conflict (name) do nothing;

  -- locked in this order, as claims do it
  update lockstep.budgets b
  set per = c.per, unit = c.unit, defined_limit = c.defined_limit, every_ms = c.every_ms
  from (
    select b.id, coalesce(g.per, 'total') as per, g.unit, g.limit as defined_limit, g."everyMs" as every_ms
    from jsonb_to_recordset(p_budgets) as g (name text, per text, unit text, "limit" numeric, "everyMs" bigint)
    join lockstep.budgets b on b.name = g.name
    where (b.per, b.unit, b.defined_limit, b.every_ms) is distinct from (coalesce(g.per, 'total'), g.unit, g.limit, g."everyMs")
    order by b.id
    for no key update of b
  ) c
  where b.id = c.id;

  with looked as materialized (
    select w.job_id, w.budget_id, w.scope
    from lockstep.budget_waits w
    join lockstep.jobs j on j.id = w.job_id
    where j.pipeline_id = any (p_pipeline_ids)
      or w.budget_id in (
        select b.id from jsonb_array_elements(p_budgets) g join lockstep.budgets b on b.name = g ->> 'name'
      )
  ),
  asked_again as (
    update lockstep.budget_waits w set is_too_large = false from looked l where w.job_id = l.job_id and w.is_too_large
  )
  update lockstep.budget_scopes s
  set look_at = '-infinity'
  where (s.budget_id, s.scope) in (select l.budget_id, l.scope from looked l);
$$;
