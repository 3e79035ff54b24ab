-- A JSON Schema as a jsonpath predicate in strict mode, for the value at p_at. Null if there is no schema, or if the predicate would be too
-- long. If it is true, schema_refusal refuses nothing: it may be stricter than the schema, but never laxer. $bytes is the size of the whole
-- value. A jsonpath is data, so nothing that a worker has sent is run as SQL.
-- Each part is true or false, never unknown: the negation of unknown is unknown too, and a filter takes both for false.
create or replace function lockstep.schema_predicate(
  p_schema jsonb,
  p_at text default '$',
  p_root jsonb default null,      -- where a "$ref" is looked up; null in the outermost call: the schema itself
  p_depth integer default 0
)
returns text
language plpgsql
immutable
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_root constant jsonb := coalesce(p_root, p_schema);
  v_predicate text;
  v_part record;
  v_said text;
begin
  if p_schema is null then
    return null;
  elsif p_schema = 'false' or p_schema -> 'not' in ('true', '{}') or p_depth > 12 then
    return '1 == 0';
  elsif jsonb_typeof(p_schema) <> 'object' then
    return '1 == 1';
  end if;

  v_predicate := array_to_string('1 == 1'::text || lockstep.value_conditions(p_schema, p_at), ' && ');
  for v_part in select * from lockstep.schema_parts(p_schema, p_at, v_root) loop
    v_said := lockstep.schema_predicate(v_part.schema, v_part.at, v_root, p_depth + 1);
    if v_said is null or length(v_predicate) + length(v_said) > 20000 then
      return null;
    end if;
    v_predicate := v_predicate || v_part.before || v_said || v_part.after;
  end loop;
  return v_predicate;
end;
$$;
