-- Raises an error if a signal cannot be taken as it is: its value does not fit the schema of the wait, or is too large, or who sends it has
-- no proper name.
create or replace function lockstep.refuse_invalid_signal(
  p_id uuid,
  p_wait text,
  p_schema jsonb,
  p_predicate jsonpath,
  p_value jsonb,
  p_by text
)
returns void
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_refusal text;
begin
  if p_by is not null and length(p_by) not between 1 and 255 then
    raise exception 'Whoever signals job % must have a name of 1 to 255 characters.', p_id using errcode = 'LS001';
  elsif not lockstep.payload_fits(p_value) then
    raise exception 'Signal "%" of job % has % bytes, but the limit is 262144 (256 KiB).', p_wait, p_id, octet_length(p_value::text)
      using errcode = 'LS001';
  elsif p_schema is null or lockstep.fits_predicate(p_value, p_predicate) then
    return;
  end if;
  v_refusal := lockstep.schema_refusal(p_schema, p_value);
  if v_refusal is not null then
    raise exception 'Job % cannot be signalled: the value does not fit the schema of wait "%": %.', p_id, p_wait, v_refusal
      using errcode = 'LS009';
  end if;
end;
$$;
