-- settle_jobs for one job. Answers applied, already_applied or lease_lost.
create or replace function lockstep.settle_job(p_id uuid, p_claim_token uuid, p_end jsonb, p_now timestamptz)
returns text
language sql
security definer
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(
    (
      select s.answer
      from lockstep.settle_jobs(array[p_id], array[p_claim_token], jsonb_build_array(p_end), p_now => p_now) s
    ),
    'applied'    -- settle_jobs returns no row for a done that was applied
  );
$$;
