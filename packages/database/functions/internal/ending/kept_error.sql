-- An error in the form that is stored, whatever was given: an object with a message, of at most 16 KiB. If it is larger, first its causes
-- are left out, then everything except the start of the message.
create or replace function lockstep.kept_error(p_error jsonb)
returns jsonb
language sql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $$
  select case
    when jsonb_typeof(p_error) = 'object' and octet_length(p_error::text) <= 16384 then p_error
    when jsonb_typeof(p_error) = 'object' and p_error ?| '{cause,errors}' and octet_length((p_error - '{cause,errors}'::text[])::text) <= 16000
      then p_error - '{cause,errors}'::text[] || '{"hasMoreCauses": true}'
    when octet_length(p_error::text) > 16384
      then jsonb_build_object('message', left(coalesce(p_error ->> 'message', p_error::text), 8192))
    else jsonb_build_object('message', coalesce(p_error #>> '{}', 'no message'))
  end;
$$;
