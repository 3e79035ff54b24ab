-- Whether a payload certainly fits the schema that the predicate was made from (schema_predicate). $bytes in it is the stored size of the
-- whole payload: no string in it has more characters. Plain SQL without settings, so that PostgreSQL inlines it.
create or replace function lockstep.fits_predicate(p_payload jsonb, p_predicate jsonpath)
returns boolean
language sql
stable
parallel safe
as $$
  select jsonb_path_match(p_payload, p_predicate, jsonb_build_object('bytes', pg_column_size(p_payload)), true);
$$;
