-- The jobs that wait for a signal: those that time out first come first, then those without a timeout, by their ids. wait is as get_job has
-- it. p_after is the place of the last job of the page before.
create or replace function lockstep.list_waits(
  p_pipeline text default null,
  p_owner text default null,
  p_signal text default null,
  p_after jsonb default null,
  p_limit integer default 50
)
returns table (
  id uuid,
  pipeline text,
  owner text,
  tags text[],
  added_at timestamptz,
  version text,
  payload_preview text,
  wait jsonb,
  place jsonb
)
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_after_due constant timestamptz := coalesce(to_timestamp((p_after ->> 'due')::numeric / 1000000), '-infinity');
  v_after_id constant uuid := coalesce((p_after ->> 'id')::uuid, '00000000-0000-0000-0000-000000000000');
begin
  if p_limit is null or p_limit not between 1 and 1000 then
    raise exception 'The limit is %, but must be from 1 to 1000.', p_limit using errcode = 'LS001';
  end if;
  return query
    select j.id, p.name, j.owner, coalesce(j.tags, '{}'), j.added_at,
      lockstep.job_version(
        j.status, j.stage_id, j.position, j.attempt, j.losses, j.scheduled_for, j.claimed_at, j.cancel_requested_at, null
      ),
      left(j.payload::text, 200),
      lockstep.told_wait(s, j.ready_at, j.scheduled_for),
      jsonb_build_object('due', (extract(epoch from j.scheduled_for) * 1000000)::bigint, 'id', j.id)
    from lockstep.stages s
    join lockstep.pipelines p on p.id = s.pipeline_id
    cross join lateral (
      select *
      from lockstep.jobs j
      where j.stage_id = s.id and j.position is null and j.scheduled_for is not null
        and (j.scheduled_for, j.id) > (v_after_due, v_after_id)
        and (p_owner is null or j.owner = p_owner)
      order by j.scheduled_for, j.id
      limit p_limit
    ) j
    where s.kind = 'wait'
      and (p_pipeline is null or p.name = p_pipeline)
      and (p_signal is null or s.name = p_signal)
    order by j.scheduled_for, j.id
    limit p_limit;
end;
$$;
