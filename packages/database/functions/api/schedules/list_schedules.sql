-- The schedules by name, without their payloads. If a schedule is due and no worker serves it, its problem says so.
create or replace function lockstep.list_schedules(
  p_pipeline text default null,
  p_after text default null,
  p_limit integer default 200,
  p_now timestamptz default clock_timestamp()
)
returns table (
  name text,
  pipeline text,
  cron text,
  time_zone text,
  priority integer,
  owner text,
  group_key text,
  tags text[],
  missed text,
  changed_at timestamptz,
  paused_at timestamptz,
  next_at timestamptz,
  last_at timestamptz,
  last_job_id uuid,
  problem text
)
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  if p_limit is null or p_limit not between 1 and 1000 then
    raise exception 'The limit is %, but must be from 1 to 1000.', coalesce(p_limit::text, 'null') using errcode = 'LS001';
  end if;
  return query
    select
      s.name, p.name, s.cron, s.time_zone, s.priority::integer, s.owner, s.group_key, coalesce(s.tags, '{}'), s.missed,
      s.changed_at, s.paused_at, s.next_at, s.last_at, s.last_job_id,
      case
        when s.problem is not null then s.problem
        when greatest(s.look_at, s.counts_from) < p_now - interval '1 minute' and not exists (
          select from lockstep.workers w
          join lockstep.stages t on t.id = any (w.stage_ids)
          where w.lost_at is null and w.lease_until > p_now and t.pipeline_id = s.pipeline_id
        ) then format('No live worker has pipeline "%s", so ticks are being missed.', p.name)
      end
    from lockstep.schedules s
    join lockstep.pipelines p on p.id = s.pipeline_id
    where (p_pipeline is null or p.name = p_pipeline) and (p_after is null or s.name > p_after)
    order by s.name
    limit p_limit;
end;
$$;
