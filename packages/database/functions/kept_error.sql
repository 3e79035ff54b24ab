-- An error as it is kept, whatever was given: an object with a message, and no larger than others.
create or replace function lockstep.kept_error(p_error jsonb)
returns jsonb
language sql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $$
  select case
    when octet_length(p_error::text) > 16384
      then jsonb_build_object('message', left(coalesce(p_error ->> 'message', p_error::text), 8192))
    when jsonb_typeof(p_error) = 'object' then p_error
    else jsonb_build_object('message', coalesce(p_error #>> '{}', 'no message'))
  end;
$$;
