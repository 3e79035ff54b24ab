-- A short text that all errors of one kind have in common. It is made of the stage, the error's name, and its message without what differs
-- from job to job. Only failed jobs pay for it.
create or replace function lockstep.error_fingerprint(p_stage_id integer, p_error jsonb)
returns text
language plpgsql
immutable
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_text text := left(coalesce(p_error ->> 'message', ''), 500);
begin
  v_text := regexp_replace(v_text, '[a-z][a-z0-9+.-]*://[^[:space:]"''<>)]+', '<url>', 'gi');
  v_text := regexp_replace(v_text, '[[:alnum:]._%+-]+@[[:alnum:].-]+', '<address>', 'g');
  v_text := regexp_replace(v_text, '"[^"]*"|`[^`]*`|(?<![[:alnum:]])''[^'']*''(?![[:alnum:]])|“[^”]*”', '<text>', 'g');
  v_text := regexp_replace(v_text, '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}', '<id>', 'gi');
  -- only hex that has a digit in it: "deadbeef" is taken for a word
  v_text := regexp_replace(v_text, '\y(0x[0-9a-f]+|(?=[0-9a-f]*[0-9])[0-9a-f]{8,})\y', '<hex>', 'gi');
  v_text := regexp_replace(v_text, '[0-9]+([.,:][0-9]+)*', '<number>', 'g');
  return left(md5(p_stage_id || E'\n' || coalesce(p_error ->> 'name', '') || E'\n' || v_text), 16);
end;
$$;
