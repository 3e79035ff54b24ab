-- What in a value does not fit a JSON Schema, as the end of a sentence that begins with the place as a JSON pointer; null if nothing is
-- known to be wrong. Keywords that it does not know (patterns, formats, most of "not" and more) count as fitting: the worker's validator
-- decides when the job runs, and nothing may be refused here that it would accept. It uses expressions instead of queries where it
-- can, since it is called for every part of every payload.
create or replace function lockstep.schema_refusal(
  p_schema jsonb,
  p_value jsonb,
  p_path text default '',
  p_root jsonb default null,      -- where a "$ref" is looked up; null in the outermost call: the schema itself
  p_depth integer default 0,
  p_refs text[] default '{}'      -- the references that were followed without a step into the value
)
returns text
language plpgsql
immutable
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_root constant jsonb := coalesce(p_root, p_schema);
  v_at constant text := coalesce(nullif(p_path, ''), 'it');
  v_type constant text := jsonb_typeof(p_value);
  v_types text[];
  v_number numeric;
  v_size integer;
  v_key text;
  v_part jsonb;
  v_forms jsonb;
  v_refusal text;
  v_refusals text[];
begin
  if p_schema = 'false' or p_schema -> 'not' in ('true', '{}') then
    return v_at || ' is not allowed';
  elsif jsonb_typeof(p_schema) is distinct from 'object' or p_depth > 50 then
    return null;
  end if;

  if p_schema ? 'type' then
    v_types := (case jsonb_typeof(p_schema -> 'type')
      when 'string' then array[p_schema ->> 'type']
      when 'array' then array(select jsonb_array_elements_text(p_schema -> 'type')) end);
    if not v_type = any (v_types)
      and not (case when v_type = 'number' and 'integer' = any (v_types) then p_value::numeric % 1 = 0 else false end)
    then
      return format('%s must be of type %s, not %s', v_at, array_to_string(v_types, ' or '),
        case when v_type = 'number' then left(p_value::text, 40) else v_type end);
    end if;
  end if;
  -- An array contains (@>) a scalar exactly if the scalar is one of its elements.
  if jsonb_typeof(p_schema -> 'enum') = 'array' and v_type not in ('array', 'object') and not p_schema -> 'enum' @> p_value then
    return format('%s must be one of %s', v_at, left(p_schema ->> 'enum', 200));
  elsif p_schema ? 'const' and p_schema -> 'const' <> p_value then
    return format('%s must be %s', v_at, left(p_schema ->> 'const', 200));
  end if;

  if v_type = 'number' then
    v_number := p_value::numeric;
    v_key := (case
      when v_number < lockstep.json_number(p_schema -> 'minimum') then 'at least ' || (p_schema ->> 'minimum')
      when v_number > lockstep.json_number(p_schema -> 'maximum') then 'at most ' || (p_schema ->> 'maximum')
      when v_number <= lockstep.json_number(p_schema -> 'exclusiveMinimum') then 'above ' || (p_schema ->> 'exclusiveMinimum')
      when v_number >= lockstep.json_number(p_schema -> 'exclusiveMaximum') then 'below ' || (p_schema ->> 'exclusiveMaximum')
    end);
    if v_key is not null then
      return format('%s must be %s', v_at, v_key);
    end if;
  elsif v_type = 'string' then
    v_size := char_length(p_value #>> '{}');
    if v_size > lockstep.json_number(p_schema -> 'maxLength') then
      return format('%s must have at most %s characters', v_at, p_schema ->> 'maxLength');
    -- JavaScript counts some characters as two, and so may the validator: with those, half as many can be enough.
    elsif v_size < lockstep.json_number(p_schema -> 'minLength')
      and (octet_length(p_value #>> '{}') = v_size or v_size * 2 < lockstep.json_number(p_schema -> 'minLength'))
    then
      return format('%s must have at least %s characters', v_at, p_schema ->> 'minLength');
    end if;
  elsif v_type = 'array' then
    v_size := jsonb_array_length(p_value);
    if v_size > lockstep.json_number(p_schema -> 'maxItems') then
      return format('%s must have at most %s items', v_at, p_schema ->> 'maxItems');
    elsif v_size < lockstep.json_number(p_schema -> 'minItems') then
      return format('%s must have at least %s items', v_at, p_schema ->> 'minItems');
    elsif p_schema ? 'items' or p_schema ? 'prefixItems' then
      for v_index in 0 .. v_size - 1 loop
        v_refusal := lockstep.schema_refusal(
          coalesce(p_schema -> 'prefixItems' -> v_index, p_schema -> 'items'), p_value -> v_index,
          p_path || '/' || v_index, v_root, p_depth + 1
        );
        if v_refusal is not null then
          return v_refusal;
        end if;
      end loop;
    end if;
  elsif v_type = 'object' then
    for v_key in select jsonb_array_elements_text(p_schema -> 'required')
      where jsonb_typeof(p_schema -> 'required') = 'array'
    loop
      if not p_value ? v_key then
        return lockstep.pointer_to(p_path, v_key) || ' is required';
      end if;
    end loop;
    -- The members that the schema names; or all, if it has a rule for the others too.
    for v_key in select jsonb_object_keys(p_value) loop
      v_part := coalesce(
        p_schema -> 'properties' -> v_key,
        case when not p_schema ? 'patternProperties' then p_schema -> 'additionalProperties' end
      );
      if v_part is not null then
        v_refusal := lockstep.schema_refusal(
          v_part, p_value -> v_key, lockstep.pointer_to(p_path, v_key), v_root, p_depth + 1
        );
        if v_refusal is not null then
          return v_refusal;
        end if;
      end if;
    end loop;
  end if;

  -- A reference that leads back to itself demands nothing, however often it is followed.
  if p_schema ->> '$ref' ~ '^#(/|$)' and not p_schema ->> '$ref' = any (p_refs) then
    v_part := (case when p_schema ->> '$ref' = '#' then v_root
      else v_root #> string_to_array(substr(p_schema ->> '$ref', 3), '/') end);
    v_refusal := lockstep.schema_refusal(v_part, p_value, p_path, v_root, p_depth + 1, p_refs || (p_schema ->> '$ref'));
    if v_refusal is not null then
      return v_refusal;
    end if;
  end if;

  if jsonb_typeof(p_schema -> 'allOf') = 'array' then
    for v_index in 0 .. jsonb_array_length(p_schema -> 'allOf') - 1 loop
      v_refusal := lockstep.schema_refusal(p_schema -> 'allOf' -> v_index, p_value, p_path, v_root, p_depth + 1, p_refs);
      if v_refusal is not null then
        return v_refusal;
      end if;
    end loop;
  end if;

  -- "oneOf" also demands that no second schema fits. That is not checked: a schema with unknown keywords would count as the second one.
  foreach v_key in array array['anyOf', 'oneOf'] loop
    v_forms := p_schema -> v_key;
    if jsonb_typeof(v_forms) = 'array' then
      v_refusals := '{}';
      for v_index in 0 .. jsonb_array_length(v_forms) - 1 loop
        v_refusal := lockstep.schema_refusal(v_forms -> v_index, p_value, p_path, v_root, p_depth + 1, p_refs);
        exit when v_refusal is null;
        v_refusals := v_refusals || v_refusal;
      end loop;
      if v_refusal is not null then
        return left(array_to_string(v_refusals, ', or '), 500);
      end if;
    end if;
  end loop;
  return null;
end;
$$;
