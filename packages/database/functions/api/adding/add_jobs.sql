-- Adds many jobs at once, all or none. p_jobs is an array of
-- {"pipeline", "payload", "priority", "scheduledFor", "dedupKey", "dedup", "owner", "tags", "id", "groupKey", "startBy",
-- "batchId", "trace", "signalKey"}, where "dedup" is {"forMs"}, {"throttleMs"}, {"debounceMs"} or {"debounceMs", "atMostMs"}.
-- Returns one row for each, in order. If there is a twin, the row has the id of that job, and created is false.
-- p_payloads_are_checked says that each payload has passed the validator of its pipeline; otherwise it is checked against the stored schema.
create or replace function lockstep.add_jobs(
  p_jobs jsonb,
  p_payloads_are_checked boolean default false,
  p_now timestamptz default clock_timestamp()
)
returns table (id uuid, created boolean, status lockstep.job_status)
language sql
security definer
set search_path = pg_catalog, pg_temp
as $$
  select a.id, a.created, a.status from lockstep.add_given_jobs(p_jobs, false, p_payloads_are_checked, p_now) a;
$$;
