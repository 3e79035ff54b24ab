-- report_progress for many jobs: p_reports is an array of {"id", "token", "percent", "note", "data", "log"}.
-- Returns the jobs that are no longer held.
create or replace function lockstep.report_progress_of_jobs(p_reports jsonb)
returns setof uuid
language sql
security definer
set search_path = pg_catalog, pg_temp
as $$
  with given as materialized (
    select *
    from jsonb_to_recordset(p_reports) as (id uuid, token uuid, percent numeric, note text, data jsonb, log jsonb)
    order by id    -- all functions lock jobs in this order
  )
  select r.id
  from given r
  where lockstep.report_progress(r.id, r.token, r.percent, r.note, r.data, r.log) = 'lease_lost';
$$;
