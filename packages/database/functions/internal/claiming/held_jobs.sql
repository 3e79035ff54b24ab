-- The jobs that a worker holds. Plain SQL without settings, so that PostgreSQL inlines it.
create or replace function lockstep.held_jobs(p_worker_id uuid)
returns setof lockstep.jobs
language sql
stable
as $$
  select j.* from lockstep.jobs j where j.held_by = p_worker_id
  union all
  select j.*
  from lockstep.claimed_ranges r
  cross join lateral lockstep.jobs_of_range(r) j
  where r.worker_id = p_worker_id;
$$;
