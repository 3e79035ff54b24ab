-- Whether a payload has at most 256 KiB as text. Its exact size costs a pass over it, taken only where it can matter (a control
-- character is 6 bytes of text). Plain SQL without settings, so that it is inlined.
create or replace function lockstep.payload_fits(p_payload jsonb)
returns boolean
language sql
stable
as $$
  select pg_column_size(p_payload) <= 43690 or octet_length(p_payload::text) <= 262144;
$$;
