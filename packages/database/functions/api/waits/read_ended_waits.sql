-- The last wait or sleep that each of these jobs has behind it, or its last one in p_stage: for the spans of those who trace. outcome is
-- signalled, timed_out or slept; error says why the job failed with it; trace is what the job was added with.
create or replace function lockstep.read_ended_waits(p_ids uuid[], p_stage text default null)
returns table (
  id uuid,
  pipeline text,
  stage text,
  outcome text,
  since timestamptz,
  ended_at timestamptz,
  error jsonb,
  trace text
)
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  select j.id, p.name, w.stage, w.outcome, w.since, w.ended_at, case when j.stage_id = w.stage_id then j.error end, j.trace
  from unnest(p_ids) as g (id)
  cross join lateral (
    select j.id, j.pipeline_id, j.stage_id, j.history, j.trace, null::jsonb as error
    from lockstep.jobs j
    where j.id = g.id
    union all
    select f.id, f.pipeline_id, f.stage_id, f.history, f.trace, f.error
    from lockstep.finished_jobs f
    where f.pipeline_id = any (array(select p.id from lockstep.pipelines p)) and f.id = g.id
    limit 1
  ) j
  join lockstep.pipelines p on p.id = j.pipeline_id
  cross join lateral (
    select s.name as stage, h.stage_id, h.outcome, (h.detail ->> 'since')::timestamptz as since, h.ended_at
    from unnest(j.history) with ordinality as h (
      stage_id, attempt, outcome, claim_token, worker_id, claimed_at, ended_at, detail, number
    )
    join lockstep.stages s on s.id = h.stage_id
    where h.outcome in ('signalled', 'timed_out', 'slept') and (p_stage is null or s.name = p_stage)
    order by h.number desc
    limit 1
  ) w;
$$;
