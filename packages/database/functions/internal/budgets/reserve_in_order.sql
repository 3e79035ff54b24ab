-- Reserves what jobs need of their budgets, in the order given: all that one needs, or nothing. A job that finds no room does not keep the
-- jobs of other scopes from theirs; those of its own scope come after it. p_amounts is what the code of their stages has estimated.
-- With p_is_grant the jobs have waited, and are about to be pending; otherwise they run, or are about to, and do not overtake jobs that wait
-- for the same scope. What a job already has reserved in this period counts. Stops when p_most jobs fit, or after a job that finds no room
-- in the scope p_stop_key ("budget id:scope").
-- The caller has locked the jobs and the budgets.
create or replace function lockstep.reserve_in_order(
  p_ids uuid[],
  p_amounts jsonb[],
  p_is_grant boolean,
  p_most integer,
  p_stop_key text,
  p_now timestamptz,
  out fitting_ids uuid[],
  out lacking_ids uuid[],           -- each with the first budget that has no room for it
  out lacking_budgets integer[],
  out lacking_scopes text[],
  out are_too_large boolean[],      -- its estimate is more than the whole limit
  out looked integer                -- how many of the jobs were looked at
)
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_job record;
  -- the scopes met so far
  v_keys text[] := '{}';
  v_periods timestamptz[] := '{}';
  v_limits numeric[] := '{}';
  v_rooms numeric[] := '{}';
  v_have_waits boolean[] := '{}';
  v_state record;
  v_period timestamptz;
  -- of the job: where its scopes are above, what it needs more than it has, and the first that lacks it
  v_places integer[];
  v_more numeric[];
  v_lacking integer;
  v_is_too_large boolean;
  -- the reservations to write
  v_job_ids uuid[] := '{}';
  v_budget_ids integer[] := '{}';
  v_scopes text[] := '{}';
  v_began timestamptz[] := '{}';
  v_reserved numeric[] := '{}';
begin
  fitting_ids := '{}'; lacking_ids := '{}'; lacking_budgets := '{}'; lacking_scopes := '{}'; are_too_large := '{}';
  looked := 0;
  for v_job in
    select g.id, n.budget_ids, n.scopes, n.amounts, n.had, n.had_began
    from unnest(p_ids, p_amounts) with ordinality as g (id, amounts, number)
    join lockstep.jobs j on j.id = g.id
    cross join lateral (
      select
        coalesce(array_agg(n.budget_id order by n.budget_id), '{}') as budget_ids,
        array_agg(n.scope order by n.budget_id) as scopes,
        array_agg(n.amount order by n.budget_id) as amounts,
        array_agg(greatest(r.amount, r.spent) order by n.budget_id) as had,
        array_agg(r.period_began order by n.budget_id) as had_began
      from lockstep.budget_needs(j.stage_id, j.owner, j.group_key, g.amounts) n
      left join lockstep.budget_reservations r on r.job_id = g.id and r.budget_id = n.budget_id
    ) n
    order by g.number
  loop
    looked := looked + 1;
    v_places := '{}';
    v_more := '{}';
    v_lacking := null;
    for v_index in 1 .. cardinality(v_job.budget_ids) loop
      v_places[v_index] := array_position(v_keys, v_job.budget_ids[v_index] || ':' || v_job.scopes[v_index]);
      if v_places[v_index] is null then
        select lockstep.budget_period(b.every_ms, p_now) into v_period from lockstep.budgets b where b.id = v_job.budget_ids[v_index];
        select
          s.scope_limit, s.spent, s.reserved, s.is_new,
          not p_is_grant and exists (
            select
            from lockstep.budget_waits w
            join lockstep.jobs j on j.id = w.job_id and j.status = 'scheduled' and j.scheduled_for = lockstep.never()
            where w.budget_id = v_job.budget_ids[v_index] and w.scope = v_job.scopes[v_index] and not w.is_too_large
          ) as has_waits
        into v_state
        from lockstep.budget_state(v_job.budget_ids[v_index], v_job.scopes[v_index], v_period) s;
        if v_state.is_new then
          insert into lockstep.budget_usage (budget_id, scope, period_began)
          values (v_job.budget_ids[v_index], v_job.scopes[v_index], v_period)
          on conflict do nothing;
        end if;
        v_keys := v_keys || (v_job.budget_ids[v_index] || ':' || v_job.scopes[v_index]);
        v_periods := v_periods || v_period;
        v_limits := v_limits || v_state.scope_limit;
        v_rooms := v_rooms || (v_state.scope_limit - v_state.spent - v_state.reserved);
        v_have_waits := v_have_waits || v_state.has_waits;
        v_places[v_index] := cardinality(v_keys);
      end if;
      -- null: it has its part already
      v_more[v_index] := case
        when v_job.had_began[v_index] = v_periods[v_places[v_index]]
          then nullif(greatest(v_job.amounts[v_index] - v_job.had[v_index], 0), 0)
        else v_job.amounts[v_index]
      end;
      if v_more[v_index] is not null and (
        v_have_waits[v_places[v_index]] or v_more[v_index] > v_rooms[v_places[v_index]] or v_rooms[v_places[v_index]] <= 0
      ) then
        v_lacking := v_index;
        exit;
      end if;
    end loop;

    if v_lacking is not null then
      v_is_too_large := v_job.amounts[v_lacking] > v_limits[v_places[v_lacking]] or v_limits[v_places[v_lacking]] = 0;
      lacking_ids := lacking_ids || v_job.id;
      lacking_budgets := lacking_budgets || v_job.budget_ids[v_lacking];
      lacking_scopes := lacking_scopes || v_job.scopes[v_lacking];
      are_too_large := are_too_large || v_is_too_large;
      if not v_is_too_large then
        v_have_waits[v_places[v_lacking]] := true;
        exit when v_keys[v_places[v_lacking]] = p_stop_key;
      end if;
      continue;
    end if;

    fitting_ids := fitting_ids || v_job.id;
    for v_index in 1 .. cardinality(v_job.budget_ids) loop
      v_rooms[v_places[v_index]] := v_rooms[v_places[v_index]] - coalesce(v_more[v_index], 0);
      v_job_ids := v_job_ids || v_job.id;
      v_budget_ids := v_budget_ids || v_job.budget_ids[v_index];
      v_scopes := v_scopes || v_job.scopes[v_index];
      v_began := v_began || v_periods[v_places[v_index]];
      v_reserved := v_reserved || v_job.amounts[v_index];
    end loop;
    exit when cardinality(fitting_ids) >= p_most;
  end loop;

  insert into lockstep.budget_reservations as r (job_id, budget_id, scope, period_began, amount, is_granted)
  select n.job_id, n.budget_id, n.scope, n.began, n.amount, p_is_grant
  from unnest(v_job_ids, v_budget_ids, v_scopes, v_began, v_reserved) as n (job_id, budget_id, scope, began, amount)
  on conflict (job_id, budget_id) do update
  set scope = excluded.scope,
      period_began = excluded.period_began,
      amount = case when r.period_began = excluded.period_began then greatest(r.amount, excluded.amount) else excluded.amount end,
      is_granted = excluded.is_granted;
end;
$$;
