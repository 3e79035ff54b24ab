-- A hash of what somebody can be shown of a live job before they decide on it: its payload, and the outputs of these stages. A job that was
-- added again under its id, or retried by a person, has another one, even if it says the same. Null if there is no such job.
create or replace function lockstep.shown_hash(p_id uuid, p_stages text[])
returns text
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  select encode(sha256(convert_to(jsonb_build_array(
    extract(epoch from j.added_at),
    (select max(extract(epoch from h.ended_at)) from unnest(j.history) h where h.outcome = 'retried'),
    j.payload,
    (select jsonb_object_agg(s.name, j.outputs -> s.name) from unnest(p_stages) as s (name))
  )::text, 'UTF8')), 'hex')
  from lockstep.jobs j
  where j.id = p_id;
$$;
