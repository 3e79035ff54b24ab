-- The JSON pointer to the member p_key of the value at p_path.
create or replace function lockstep.pointer_to(p_path text, p_key text)
returns text
language sql
immutable
parallel safe
as $$
  select p_path || '/' || replace(replace(p_key, '~', '~0'), '/', '~1');
$$;
