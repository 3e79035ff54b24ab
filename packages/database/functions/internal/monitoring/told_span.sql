-- A span from the settings that a worker reports; the default if that is longer, or the worker reports none.
create or replace function lockstep.told_span(p_report jsonb, p_setting text, p_default interval)
returns interval
language sql
immutable
as $$
  select case when jsonb_typeof(p_report -> 'times' -> p_setting) = 'number'
    then greatest(p_default, make_interval(secs => least((p_report -> 'times' ->> p_setting)::numeric, 86400000)::double precision / 1000))
    else p_default
  end;
$$;
