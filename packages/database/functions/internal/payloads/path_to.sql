-- The jsonpath to the member p_key of the value at p_path.
create or replace function lockstep.path_to(p_path text, p_key text)
returns text
language sql
immutable
parallel safe
as $$
  select p_path || '.' || to_json(p_key);
$$;
