-- report_progress for many at once: an array of {"id", "token", "percent", "note", "data"}.
-- Comes back with the jobs that are no longer held.
create or replace function lockstep.report_progress_of_jobs(p_reports jsonb)
returns setof uuid
language sql
security definer
set search_path = pg_catalog, pg_temp
as $$
  with given as materialized (
    select *
    from jsonb_to_recordset(p_reports) as (id uuid, token uuid, percent numeric, note text, data jsonb)
    order by id    -- everyone locks jobs in this order
  )
  select r.id
  from given r
  where lockstep.report_progress(r.id, r.token, r.percent, r.note, r.data) = 'lease_lost';
$$;
