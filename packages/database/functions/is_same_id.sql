-- Whether two ids are the same, for joins of many jobs by their ids: said so that only a look by index for each can answer it.
-- After a vacuum of an emptied table PostgreSQL takes it for empty; by "=" it then went through all of a burst of jobs for
-- a batch of ids, and compared each with each. Plain SQL without settings, so that it is inlined.
create or replace function lockstep.is_same_id(p_id uuid, p_other_id uuid)
returns boolean
language sql
immutable
parallel safe
as $$
  select p_id between p_other_id and p_other_id;
$$;
