-- The schemas within a JSON Schema. Each comes with the path to the value that it describes, and with the text before and after it in the
-- predicate that schema_predicate builds.
create or replace function lockstep.schema_parts(p_schema jsonb, p_at text, p_root jsonb)
returns table (schema jsonb, at text, before text, after text)
language plpgsql    -- keeps its plans; before PostgreSQL 18, a function in SQL is planned at each call
immutable
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  return query
  with properties as (
    select e.key, e.value as schema, lockstep.path_to(p_at, e.key) as at
    from jsonb_each(case when jsonb_typeof(p_schema -> 'properties') = 'object' then p_schema -> 'properties' end) e
  ),
  first_items as (
    select i.schema, i.ordinality::integer as number
    from jsonb_path_query(p_schema, 'strict $.prefixItems[*]', '{}', true) with ordinality as i (schema, ordinality)
  )
  select p.schema, p.at, format(' && (%s.type() != "object" || (exists(%s)) is unknown || ', p_at, p.at), ')'
  from properties p

  union all
  select p_schema -> 'additionalProperties', '@.value',
    format(' && (%s.type() != "object" || !exists(%s.keyvalue() ? (', p_at, p_at)
      || (select coalesce(string_agg(format('@.key != %s && ', to_json(p.key)), ''), '') from properties p) || '!(',
    '))))'
  where p_schema ? 'additionalProperties' and not p_schema ? 'patternProperties'
    and p_schema -> 'additionalProperties' not in ('true', '{}')

  union all
  select i.schema, format('%s[%s]', p_at, i.number - 1),
    format(' && (%s.type() != "array" || %s.size() < %s || ', p_at, p_at, i.number), ')'
  from first_items i

  union all
  select p_schema -> 'items', '@',
    format(' && (%1$s.type() != "array" || %1$s.size() <= %2$s || !exists(%1$s[%2$s to last] ? (!(', p_at, count(i)), '))))'
  from first_items i
  having p_schema ? 'items'

  union all
  select
    coalesce(case p_schema ->> '$ref' when '#' then p_root
      else p_root #> string_to_array(substr(p_schema ->> '$ref', 3), '/') end, 'true'),
    p_at, ' && (', ')'
  where p_schema ->> '$ref' ~ '^#(/|$)'

  union all
  select f.schema, p_at, ' && (', ')'
  from jsonb_path_query(p_schema, 'strict $.allOf[*]', '{}', true) f (schema)

  union all
  (select f.schema, p_at, case f.number when 1 then ' && ((' else ' || (' end,
    case f.number when jsonb_array_length(p_schema -> w.word) then '))' else ')' end
  from (values ('anyOf'), ('oneOf')) w (word)
  cross join lateral jsonb_path_query(p_schema -> w.word, 'strict $[*]', '{}', true) with ordinality as f (schema, number)
  order by w.word, f.number);
end;
$$;
