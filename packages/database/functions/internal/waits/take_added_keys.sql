-- Gives the jobs that an add has just added the signal keys that it named. Jobs that were there before keep what they have.
create or replace function lockstep.take_added_keys(p_jobs jsonb, p_now timestamptz)
returns void
language sql
security definer
set search_path = pg_catalog, pg_temp
as $$
  select lockstep.take_signal_keys(array_agg(j.id), array_agg(g."signalKey"), p_now)
  from jsonb_to_recordset(p_jobs) as g (id uuid, "signalKey" text)
  join lockstep.jobs j on j.id = g.id and j.added_at = p_now
  where g."signalKey" is not null;
$$;
