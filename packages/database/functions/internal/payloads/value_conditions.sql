-- What a JSON Schema demands of a value, without its parts: conditions in jsonpath for schema_predicate, which must all hold for the value
-- at p_at. A condition for one type applies only to values of that type.
create or replace function lockstep.value_conditions(p_schema jsonb, p_at text)
returns text[]
language plpgsql
immutable
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_conditions text[] := '{}';
  v_forms text[];
  v_values jsonb;
  v_word text;
  v_number numeric;
  v_said text;
begin
  if p_schema ? 'type' then
    v_forms := array(
      select case t.name #>> '{}'
        when 'integer' then format('(%1$s.type() == "number" && %1$s %% 1 == 0)', p_at)
        else format('%s.type() == %s', p_at, t.name) end
      from jsonb_path_query(p_schema, '$.type[*]') t (name)
      where jsonb_typeof(t.name) = 'string'
    );
    v_conditions := v_conditions || format('(%s)', array_to_string(v_forms || '1 == 0'::text, ' || '));
  end if;

  -- jsonpath compares only scalars, so a "const" or "enum" with arrays or objects is left to schema_refusal.
  for v_values in
    select jsonb_build_array(p_schema -> 'const') where p_schema ? 'const'
    union all
    select p_schema -> 'enum' where jsonb_typeof(p_schema -> 'enum') = 'array'
  loop
    v_forms := array(
      select format('(%1$s.type() == "%2$s" && %1$s == %3$s)', p_at, jsonb_typeof(f.form), f.form)
      from jsonb_array_elements(v_values) f (form)
      where jsonb_typeof(f.form) not in ('array', 'object')
    );
    v_conditions := v_conditions || format('(%s)', array_to_string(v_forms || '1 == 0'::text, ' || '));
  end loop;

  foreach v_word in array array[
    'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'minLength', 'maxLength', 'minItems', 'maxItems'
  ] loop
    v_number := lockstep.json_number(p_schema -> v_word);
    continue when v_number is null;
    v_said := (case v_word
      when 'minimum' then format('%s >= %s', p_at, v_number)
      when 'maximum' then format('%s <= %s', p_at, v_number)
      when 'exclusiveMinimum' then format('%s > %s', p_at, v_number)
      when 'exclusiveMaximum' then format('%s < %s', p_at, v_number)
      when 'minItems' then format('%s.size() >= %s', p_at, v_number)
      when 'maxItems' then format('%s.size() <= %s', p_at, v_number)
      -- A regular expression is slow with long texts. But no text has more characters than the whole value has bytes.
      when 'minLength' then case
        when v_number <= 1000 then format('%s like_regex "%s" flag "s"', p_at, lockstep.chars_pattern(ceil(v_number)))
        else '1 == 0' end
      when 'maxLength' then format('$bytes <= %s', v_number) || case
        when v_number < 1000 then format(' || !(%s like_regex "%s" flag "s")', p_at, lockstep.chars_pattern(floor(v_number) + 1))
        else '' end
    end);
    v_conditions := v_conditions || format('(%s.type() != "%s" || %s)', p_at,
      case when v_word like '%Items' then 'array' when v_word like '%Length' then 'string' else 'number' end, v_said);
  end loop;

  if jsonb_typeof(p_schema -> 'required') = 'array' then
    v_conditions := v_conditions || array(
      select format('(%s.type() != "object" || !((exists(%s)) is unknown))', p_at, lockstep.path_to(p_at, k.key))
      from jsonb_array_elements_text(p_schema -> 'required') k (key)
      where k.key is not null
    );
  end if;
  return v_conditions;
end;
$$;
