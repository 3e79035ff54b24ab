-- A JSON number as numeric; null if the value is not a number. Plain SQL without settings, so that PostgreSQL inlines it.
create or replace function lockstep.json_number(p_value jsonb)
returns numeric
language sql
immutable
parallel safe
as $$
  select case when jsonb_typeof(p_value) = 'number' then p_value::numeric end;
$$;
