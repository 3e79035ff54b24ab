-- Whether a wait of a live job has had its signal: one that it has taken, or one that is kept until it may go on.
create or replace function lockstep.has_signal(p_id uuid, p_name text)
returns boolean
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  select exists (
    select
    from lockstep.signals g
    join lockstep.jobs j on j.id = g.job_id and j.added_at = g.job_added_at
    where g.job_id = p_id and g.name = p_name
  );
$$;
