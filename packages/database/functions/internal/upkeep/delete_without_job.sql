-- Retention for tables whose rows belong to jobs: deletes the rows whose job is gone, up to 5,000 per call, and returns how many it
-- checked. p_keep is the shortest time that jobs are kept. Only a row older than that can have outlived its job, so each is checked once
-- per p_keep plus a day.
create or replace function lockstep.delete_without_job(p_table text, p_keep interval, p_now timestamptz)
returns integer
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_checked integer;
begin
  execute format(
    'with due as materialized (
       select t.ctid as address, t.job_id, t.job_added_at, t.pipeline_id
       from lockstep.%1$I t
       where t.looked_at < $1
       order by t.looked_at
       limit 5000
       for update skip locked
     ),
     judged as materialized (
       select d.address, lockstep.has_job(d.job_id, d.job_added_at, d.pipeline_id) as has_job from due d
     ),
     gone as (
       delete from lockstep.%1$I t using judged d where t.ctid = d.address and not d.has_job
     ),
     kept as (
       update lockstep.%1$I t set looked_at = $2 from judged d where t.ctid = d.address and d.has_job
     )
     select count(*) from judged',
    p_table
  )
  into v_checked
  -- a day more, since finished jobs are dropped by whole days
  using p_now - p_keep - interval '1 day', p_now;
  return v_checked;
end;
$$;
