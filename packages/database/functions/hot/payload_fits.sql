-- Whether a payload has at most 256 KiB as text. The stored size does not tell: a number with a large exponent, or with zeros after its
-- point, has a few bytes there and up to 147,000 as text. Plain SQL without settings, so that PostgreSQL inlines it.
create or replace function lockstep.payload_fits(p_payload jsonb)
returns boolean
language sql
stable
as $$
  select octet_length(p_payload::text) <= 262144;
$$;
