-- A span as people say it, in the largest unit that fits: 90 s, 15 minutes, 3 days.
create or replace function lockstep.span_text(p_ms bigint)
returns text
language sql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $$
  select case
    when p_ms % 86400000 = 0 then format('%s day%s', p_ms / 86400000, case when p_ms > 86400000 then 's' end)
    when p_ms % 3600000 = 0 then format('%s hour%s', p_ms / 3600000, case when p_ms > 3600000 then 's' end)
    when p_ms % 60000 = 0 then format('%s minute%s', p_ms / 60000, case when p_ms > 60000 then 's' end)
    else format('%s s', trim_scale(p_ms / 1000.0))
  end;
$$;
