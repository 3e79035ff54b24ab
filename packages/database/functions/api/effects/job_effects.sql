-- The effects of one job, in the order of their latest starts, without claim tokens. The state is
--   running  started under the claim that holds the job now
--   unknown  it may have happened: a start did not report, or did not know, how it ended
--   stopped  it has not happened
--   done     it has happened
create or replace function lockstep.job_effects(p_id uuid)
returns table (
  key text,
  state text,
  idempotency_key uuid,
  starts integer,
  started_at timestamptz,
  ended_at timestamptz,
  value jsonb,
  spent jsonb
)
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  return query
    select
      e.key,
      case
        when e.state = 'done' then 'done'
        when e.state = 'started' and e.claim_token = job.claim_token then 'running'
        when e.state = 'started' or e.may_have_happened then 'unknown'
        else 'stopped'
      end,
      e.idempotency_key, e.starts, e.started_at, e.ended_at, e.value, e.spent
    from (
      select j.added_at, j.claim_token
      from lockstep.jobs j
      where j.id = p_id
      union all
      select f.added_at, null::uuid
      from lockstep.finished_jobs f
      where f.pipeline_id = any (array(select p.id from lockstep.pipelines p)) and f.id = p_id
    ) job
    join lockstep.effects e on e.job_id = p_id and e.job_added_at = job.added_at and e.starts > 0
    order by e.started_at, e.key;
end;
$$;
