-- A job's attempts as people may see them.
create or replace function lockstep.without_tokens(p_history jsonb)
returns jsonb
language sql
immutable
parallel safe
as $$
  select coalesce(jsonb_agg(a.attempt - 'token' order by a.ordinality), '[]')
  from jsonb_array_elements(p_history) with ordinality as a (attempt, ordinality);
$$;
