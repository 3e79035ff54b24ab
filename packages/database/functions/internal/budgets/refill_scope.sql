-- Lets the first jobs go on that wait for one scope of a budget, as long as there is room: it reserves what they need and makes them
-- pending. Says in budget_scopes when to look again. The caller has locked the budgets in p_locked.
create or replace function lockstep.refill_scope(p_budget_id integer, p_scope text, p_locked integer[], p_now timestamptz)
returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_at_once constant integer := 100;
  v_first uuid[];
  v_ids uuid[];
  v_amounts jsonb[];
  v_gone integer;
  v_reserved record;
  v_is_used_up boolean := false;
begin
  v_first := array(
    select w.job_id
    from lockstep.budget_waits w
    where w.budget_id = p_budget_id and w.scope = p_scope and not w.is_too_large
    order by w.priority, w.number
    limit v_at_once
  );
  -- A job that another transaction has locked is left out, and so is one that needs a budget which is not locked: its stage has just
  -- been defined anew. It is looked at again a second later.
  select array_agg(w.job_id order by w.priority, w.number), array_agg(w.amounts order by w.priority, w.number)
  into v_ids, v_amounts
  from (
    select w.job_id, w.amounts, w.priority, w.number
    from unnest(v_first) as f (id)
    join lockstep.budget_waits w on w.job_id = f.id
    cross join lateral (
      select j.stage_id
      from lockstep.jobs j
      where j.id = f.id and j.status = 'scheduled' and j.position is null and j.scheduled_for = lockstep.never()
      for update skip locked
    ) j
    join lockstep.stages s on s.id = j.stage_id
    where s.paused_at is null and lockstep.budgets_of_stages(array[s.id]) <@ p_locked
  ) w;
  delete from lockstep.budget_waits w
  where w.job_id = any (v_first)
    and not exists (
      select from lockstep.jobs j
      where j.id = w.job_id and j.status = 'scheduled' and j.position is null and j.scheduled_for = lockstep.never()
    );
  get diagnostics v_gone = row_count;

  if v_ids is not null then
    select * into v_reserved
    from lockstep.reserve_in_order(v_ids, v_amounts, true, v_at_once, p_budget_id || ':' || p_scope, p_now);
    v_is_used_up := exists (
      select
      from unnest(v_reserved.lacking_budgets, v_reserved.lacking_scopes, v_reserved.are_too_large) as l (budget_id, scope, is_too_large)
      where l.budget_id = p_budget_id and l.scope = p_scope and not l.is_too_large
    );

    -- those for which another budget has no room wait for that one now
    insert into lockstep.budget_scopes (budget_id, scope, look_at)
    select distinct l.budget_id, l.scope, p_now
    from unnest(v_reserved.lacking_budgets, v_reserved.lacking_scopes) as l (budget_id, scope)
    where (l.budget_id, l.scope) <> (p_budget_id, p_scope)
    on conflict (budget_id, scope) do nothing;
    update lockstep.budget_waits w
    set budget_id = l.budget_id, scope = l.scope, is_too_large = l.is_too_large
    from unnest(v_reserved.lacking_ids, v_reserved.lacking_budgets, v_reserved.lacking_scopes, v_reserved.are_too_large)
      as l (id, budget_id, scope, is_too_large)
    where w.job_id = l.id and (w.budget_id, w.scope, w.is_too_large) <> (l.budget_id, l.scope, l.is_too_large);

    if cardinality(v_reserved.fitting_ids) > 0 then
      with released as materialized (
        delete from lockstep.budget_waits w where w.job_id = any (v_reserved.fitting_ids) returning w.job_id, w.scheduled_for
      ),
      placed as materialized (
        select f.id, nextval('lockstep.job_positions') as position
        from unnest(v_reserved.fitting_ids) with ordinality as f (id, number)
        order by f.number
      ),
      gone_on as (
        update lockstep.jobs j
        set status = 'pending', position = p.position, ready_at = p_now, scheduled_for = r.scheduled_for
        from placed p
        join released r on r.job_id = p.id
        where j.id = p.id
        returning j.stage_id
      )
      insert into lockstep.stage_moves (at, stage_id, moved_from, moved_to, jobs, wakes_for)
      select p_now, g.stage_id, 'scheduled', 'pending', count(*), count(*)
      from gone_on g
      group by g.stage_id;
    end if;
  end if;

  delete from lockstep.budget_scopes s
  where s.budget_id = p_budget_id and s.scope = p_scope
    and not exists (select from lockstep.budget_waits w where w.budget_id = p_budget_id and w.scope = p_scope);
  update lockstep.budget_scopes s
  set look_at = case
    when not v_is_used_up and coalesce(cardinality(v_ids), 0) + v_gone < cardinality(v_first) then p_now + interval '1 second'
    when not v_is_used_up and cardinality(v_first) = v_at_once then p_now    -- there may be room for more
    else lockstep.budget_turn(b.every_ms, p_now)
  end
  from lockstep.budgets b
  where b.id = p_budget_id and s.budget_id = p_budget_id and s.scope = p_scope;
end;
$$;
