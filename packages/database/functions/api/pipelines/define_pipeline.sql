-- Registers a pipeline or changes its stages. p_stages is an array of
-- {"name", "maxAttempts", "maxLosses", "timeoutMs", "retry": {"kind", "baseMs", "capMs", "jitter"},
--  "concurrency", "groupConcurrency", "rate": {"jobs", "perMs"}, "groupRate": {"jobs", "perMs"},
--  "breaker": {"failureRate", "windowMs", "minAttempts", "pauseMs", "per"},
--  "branches": names of the branches of a parallel stage,
--  "spends": {budget: estimate, or null if the code estimates it}}, in order.
-- A stage that no worker runs has a "kind": {"name", "kind": "wait", "waitMs", "onTimeout", "signalSchema", "notBy"} waits for a signal
-- (signal_job), {"name", "kind": "sleep", "waitMs"} for a time.
-- p_options is {"version", "maxPending", "ageingMs", "events", "payloadSchema", "branchOf": the name of the pipeline it is a branch of,
-- "budgets": [{"name", "per": owner, group, pipeline or total, "limit", "everyMs", "unit"}]}. A budget is as it was defined last.
-- A stage that is left out keeps its jobs and its next stage, but no job enters it any more. A version older than the stored one changes
-- nothing: its workers get the stages that they know, and finish the jobs there.
create or replace function lockstep.define_pipeline(
  p_name text,
  p_stages jsonb,
  p_options jsonb default '{}'
)
returns table (stage text, stage_id integer)
language sql
security definer
set search_path = pg_catalog, pg_temp
as $$
  select d.stage, d.stage_id
  from lockstep.define_pipelines(
    jsonb_build_array(jsonb_build_object('name', p_name, 'stages', p_stages, 'options', p_options))
  ) d;
$$;
