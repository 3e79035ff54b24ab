-- Sets the limit of a budget for all its scopes, or for one. It holds at once and stays, also when the pipeline is defined again, until it
-- is taken back: p_limit null. Jobs that wait go on if there is room now; what runs already is not stopped. p_by is who does it, and is
-- recorded (list_actions) with the reason, unless p_is_recorded says that the caller does that. Returns whether this changed anything.
create or replace function lockstep.set_budget_limit(
  p_name text,
  p_limit numeric,
  p_scope text default null,
  p_by text default null,
  p_reason text default null,
  p_is_recorded boolean default false,
  p_now timestamptz default clock_timestamp()
)
returns boolean
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_budget lockstep.budgets;
  v_locked integer[];
  v_before numeric;
  v_is_changed boolean;
begin
  if p_limit not between 0 and 1000000000000000 then
    raise exception 'The limit of a budget is %, but must be from 0 to 1000000000000000.', p_limit using errcode = 'LS001';
  elsif octet_length(p_scope) > 255 or length(p_reason) > 500 then
    raise exception 'The scope of a budget can have at most 255 bytes, and the reason for its limit at most 500 characters.' using errcode = 'LS001';
  elsif p_by is null and p_is_recorded is not true then
    raise exception 'Who sets the limit of budget "%" must be given, since it is recorded.', left(coalesce(p_name, ''), 120)
      using errcode = 'LS001', hint = 'Give p_by.';
  end if;
  v_locked := lockstep.lock_budgets(array(select b.id from lockstep.budgets b where b.name = p_name));
  select b.* into v_budget from lockstep.budgets b where b.name = p_name;
  if not found then
    raise exception 'There is no budget "%".', left(coalesce(p_name, ''), 120)
      using errcode = 'LS003', hint = 'See read_budgets for the names that exist. Pipelines define budgets.';
  end if;

  if p_scope is null then
    v_before := v_budget.set_limit;
    update lockstep.budgets b set set_limit = p_limit where b.id = v_budget.id and b.set_limit is distinct from p_limit;
    v_is_changed := found;
  else
    select l.set_limit into v_before from lockstep.budget_limits l where l.budget_id = v_budget.id and l.scope = p_scope;
    v_is_changed := v_before is distinct from p_limit;
    delete from lockstep.budget_limits l where l.budget_id = v_budget.id and l.scope = p_scope;
    insert into lockstep.budget_limits (budget_id, scope, set_limit)
    select v_budget.id, p_scope, p_limit where p_limit is not null;
  end if;
  if p_is_recorded is not true then
    perform lockstep.record_action(
      p_by, 'budgets.set_limit', 'budgets/' || p_name || coalesce('/' || p_scope, ''),
      case when not v_is_changed then 'unchanged' when p_limit is null then 'taken_back' else 'set' end,
      p_detail => jsonb_strip_nulls(jsonb_build_object('limit', p_limit, 'before', v_before, 'reason', p_reason)),
      p_now => p_now
    );
  end if;

  if v_is_changed then
    -- an estimate that was more than the whole limit may fit now
    update lockstep.budget_waits w
    set is_too_large = false
    where w.budget_id = v_budget.id and w.is_too_large and (p_scope is null or w.scope = p_scope);
    update lockstep.budget_scopes s
    set look_at = least(s.look_at, p_now)
    where s.budget_id = v_budget.id and (p_scope is null or s.scope = p_scope);
    perform lockstep.refill_budgets(array[v_budget.id], v_locked, p_now);
  end if;
  return v_is_changed;
end;
$$;
