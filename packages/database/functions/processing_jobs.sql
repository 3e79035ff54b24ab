-- The jobs that workers hold, p_at_most of them or a few more. Plain SQL without settings, so that it is inlined.
create or replace function lockstep.processing_jobs(p_at_most integer)
returns setof lockstep.jobs
language sql
stable
as $$
  (
    select j.*
    from lockstep.jobs j
    where j.held_by is not null
    order by j.held_by    -- the order that only its own index has
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
