-- Raises an error if define_pipeline was given budgets, or stages that spend of them, which cannot be used as given. Does nothing if all can.
create or replace function lockstep.refuse_unfit_budgets(p_pipeline text, p_stages jsonb, p_budgets jsonb)
returns void
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_most constant numeric := 1000000000000000;
  v_budget jsonb;
  v_stage record;
  v_spend record;
begin
  if p_budgets is null and not p_stages @? '$[*].spends' then
    return;
  end if;
  if coalesce(jsonb_typeof(p_budgets), 'array') not in ('array', 'null') then
    raise exception 'The budgets of pipeline "%" must be an array.', p_pipeline
      using errcode = 'LS001', hint = 'Give them such as [{"name": "tokens", "per": "owner", "limit": 100000, "everyMs": 86400000}].';
  end if;
  for v_budget in
    select b from jsonb_array_elements(case when jsonb_typeof(p_budgets) = 'array' then p_budgets end) b
  loop
    if jsonb_typeof(v_budget) <> 'object' or coalesce(v_budget ->> 'name', '') !~ '^[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}$' then
      raise exception '"%" is not a valid name for a budget of pipeline "%".', left(coalesce(v_budget ->> 'name', ''), 120), p_pipeline
        using errcode = 'LS001', hint = 'Use 1 to 100 letters, digits and _ . : -, and begin with a letter or digit.';
    elsif (select count(*) from jsonb_array_elements(p_budgets) o where o ->> 'name' = v_budget ->> 'name') > 1 then
      raise exception 'Budget "%" of pipeline "%" is given twice.', v_budget ->> 'name', p_pipeline using errcode = 'LS001';
    elsif coalesce(v_budget ->> 'per', 'total') not in ('owner', 'group', 'pipeline', 'total') then
      raise exception 'per of budget "%" is "%", but must be owner, group, pipeline or total.',
        v_budget ->> 'name', left(v_budget ->> 'per', 100)
        using errcode = 'LS001';
    elsif not coalesce(
      case when jsonb_typeof(v_budget -> 'limit') = 'number' then (v_budget -> 'limit')::numeric between 0 and v_most end, false
    ) then
      raise exception 'The limit of budget "%" must be a number from 0 to %.', v_budget ->> 'name', v_most using errcode = 'LS001';
    elsif coalesce(v_budget -> 'everyMs', 'null') <> 'null' and not coalesce(
      case when jsonb_typeof(v_budget -> 'everyMs') = 'number' then
        (v_budget -> 'everyMs')::numeric between 1 and 157680000000 and (v_budget -> 'everyMs')::numeric % 1 = 0 end, false
    ) then
      raise exception 'everyMs of budget "%" must be a whole number of milliseconds from 1 to 157680000000 (5 years), or null for a budget whose period never ends.',
        v_budget ->> 'name'
        using errcode = 'LS001';
    elsif coalesce(v_budget -> 'unit', 'null') <> 'null'
      and (jsonb_typeof(v_budget -> 'unit') <> 'string' or length(v_budget ->> 'unit') not between 1 and 40)
    then
      raise exception 'The unit of budget "%" must be a text of 1 to 40 characters.', v_budget ->> 'name' using errcode = 'LS001';
    end if;
  end loop;

  for v_stage in
    select g ->> 'name' as stage, coalesce(g ->> 'kind', 'work') as kind, g -> 'spends' as spends
    from jsonb_array_elements(p_stages) g
    where coalesce(g -> 'spends', 'null') <> 'null'
  loop
    if jsonb_typeof(v_stage.spends) <> 'object' or v_stage.kind <> 'work' then
      raise exception 'spends of stage "%" of pipeline "%" must be an object such as {"tokens": 2000}, in a stage that workers run.',
        v_stage.stage, p_pipeline
        using errcode = 'LS001';
    end if;
    for v_spend in
      select v_stage.stage, k.key, k.value,
        exists (
          select from jsonb_array_elements(case when jsonb_typeof(p_budgets) = 'array' then p_budgets end) b where b ->> 'name' = k.key
        ) as is_listed
      from jsonb_each(v_stage.spends) k
    loop
      if not v_spend.is_listed then
        raise exception 'Stage "%" spends of budget "%", which pipeline "%" does not list.', v_spend.stage, left(v_spend.key, 120), p_pipeline
          using errcode = 'LS001', hint = 'Add the budget to the budgets of the pipeline.';
      elsif not coalesce(
        case jsonb_typeof(v_spend.value) when 'number' then (v_spend.value)::numeric between 0 and v_most when 'null' then true end, false
      ) then
        raise exception 'Stage "%" of pipeline "%" spends "%" of budget "%", but an estimate must be a number from 0 to %, or null if the code estimates it.',
          v_spend.stage, p_pipeline, left(v_spend.value::text, 100), v_spend.key, v_most
          using errcode = 'LS001';
      end if;
    end loop;
  end loop;
end;
$$;
