-- Whether two ids are the same, for joins of jobs by their ids. Written as a range, so that PostgreSQL must look up each id in the index.
-- After a vacuum of a table that was empty, PostgreSQL believes that it still is. With "=", it then read all jobs of a burst for one call
-- and compared each job with each id. Plain SQL without settings, so that PostgreSQL inlines it.
create or replace function lockstep.is_same_id(p_id uuid, p_other_id uuid)
returns boolean
language sql
immutable
parallel safe
as $$
  select p_id between p_other_id and p_other_id;
$$;
