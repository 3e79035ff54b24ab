-- When a job is due that waits until a signal comes, however long that takes. A time that no job can be given, and not infinity, with
-- which PostgreSQL before 17 does not calculate. Plain SQL without settings, so that PostgreSQL inlines it.
create or replace function lockstep.never()
returns timestamptz
language sql
immutable
parallel safe
as $$
  select timestamptz '9999-12-31 00:00:00+00';
$$;
