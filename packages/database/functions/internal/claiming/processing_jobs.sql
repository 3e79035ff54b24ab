-- The jobs that workers hold: at most p_at_most that are listed as held, and as many that are in ranges.
-- Plain SQL without settings, so that PostgreSQL inlines it.
create or replace function lockstep.processing_jobs(p_at_most integer)
returns setof lockstep.jobs
language sql
stable
as $$
  (
    select j.*
    from lockstep.jobs j
    where j.held_by is not null
    order by j.held_by    -- an order that only the right index has
    limit p_at_most
  )
  union all
  (
    select j.*
    from lockstep.claimed_ranges r
    cross join lateral lockstep.jobs_of_range(r) j
    limit p_at_most
  );
$$;
