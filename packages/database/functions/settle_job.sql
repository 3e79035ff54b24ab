-- One settlement by settle_jobs, answered with a word: applied, already_applied or lease_lost.
create or replace function lockstep.settle_job(p_settlement jsonb, p_now timestamptz)
returns text
language sql
security definer
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(
    (select s.answer from lockstep.settle_jobs(jsonb_build_array(p_settlement), p_now => p_now) s),
    'applied'    -- settle_jobs is silent about a plain done that was applied
  );
$$;
