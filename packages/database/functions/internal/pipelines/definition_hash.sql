-- The hash of a definition as define_pipeline stores it. With the digest of the functions: if new functions read a definition in another
-- way, it must be applied again.
create or replace function lockstep.definition_hash(p_stages jsonb, p_options jsonb)
returns bytea
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  select sha256(convert_to(concat(f.digest, p_stages, p_options), 'UTF8')) from lockstep.applied_functions f;
$$;
