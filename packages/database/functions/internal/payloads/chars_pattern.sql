-- A regular expression that matches texts of at least p_count characters. In PostgreSQL, a repetition count is at most 255.
create or replace function lockstep.chars_pattern(p_count numeric)
returns text
language sql
immutable
parallel safe
as $$
  select format('^(.{250}){%s}.{%s}', div(greatest(p_count, 0), 250), greatest(p_count, 0) % 250);
$$;
