-- A JSON number of milliseconds as an interval; null for null.
create or replace function lockstep.ms_interval(p_ms jsonb)
returns interval
language sql
immutable
as $$
  select make_interval(secs => (p_ms #>> '{}')::double precision / 1000);
$$;
