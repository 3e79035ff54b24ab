-- Creates a schedule, or changes the one with this name. Answers created, changed or unchanged. Only a new pattern or time zone starts the
-- ticks again. A worker reads the pattern later and records a problem if it is wrong.
create or replace function lockstep.set_schedule(
  p_name text,
  p_pipeline text,
  p_cron text,
  p_time_zone text default 'UTC',
  p_payload jsonb default 'null',
  p_priority integer default 10,
  p_owner text default null,
  p_tags text[] default null,
  p_missed text default 'skip',
  p_group_key text default null,
  p_now timestamptz default clock_timestamp()
)
returns text
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_pipeline_id integer;
  v_known lockstep.schedules;
  v_refusal text;
begin
  select p.id into v_pipeline_id from lockstep.pipelines p where p.name = p_pipeline;
  if v_pipeline_id is null then
    raise exception 'There is no pipeline "%".', coalesce(p_pipeline, '')
      using errcode = 'LS002', hint = 'Define it with define_pipeline, or start a worker that has it.';
  end if;

  v_refusal := case
    when p_name is null or p_name !~ '^[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}$'
      then 'its name must be 1 to 100 letters, digits, "_", ".", ":" or "-" and begin with a letter or digit'
    when p_cron is null or octet_length(p_cron) not between 1 and 255
      then 'its cron pattern must have 1 to 255 bytes'
    when p_missed is null or p_missed not in ('skip', 'run_once')
      then 'missed must be skip or run_once'
    when p_priority is null or p_priority not between 1 and 20
      then format('the priority is %s, but must be from 1 to 20', p_priority)
    when octet_length(p_payload::text) > 262144
      then format('the payload has %s bytes, but the limit is 262144 (256 KiB)', octet_length(p_payload::text))
    when octet_length(p_owner) not between 1 and 255
      then format('the owner has %s bytes, but must have 1 to 255', octet_length(p_owner))
    when octet_length(p_group_key) not between 1 and 255
      then format('the group key has %s bytes, but must have 1 to 255', octet_length(p_group_key))
    when cardinality(p_tags) > 18
      then format('it has %s tags, but the limit is 18, since its jobs get two more', cardinality(p_tags))
  end;
  if v_refusal is not null then
    raise exception 'Schedule "%" cannot be set: %.', coalesce(p_name, ''), v_refusal using errcode = 'LS001';
  end if;

  -- If two callers create the same one at once, the second waits here and then finds it.
  insert into lockstep.schedules (
    name, pipeline_id, cron, time_zone, payload, priority, owner, group_key, tags, missed, revision, changed_at,
    counts_from, look_at
  )
  values (
    p_name, v_pipeline_id, p_cron, coalesce(p_time_zone, 'UTC'), coalesce(p_payload, 'null'), p_priority, p_owner,
    p_group_key, nullif(p_tags, '{}'), p_missed, gen_random_uuid(), p_now, p_now, '-infinity'
  )
  on conflict (name) do nothing;
  if found then
    perform lockstep.require_time_zone(p_name, p_time_zone);
    return 'created';
  end if;

  select * into v_known from lockstep.schedules s where s.name = p_name for update;
  if (v_known.pipeline_id, v_known.cron, v_known.time_zone, v_known.payload, v_known.priority, v_known.missed)
      = (v_pipeline_id, p_cron, coalesce(p_time_zone, 'UTC'), coalesce(p_payload, 'null'), p_priority, p_missed)
    and v_known.owner is not distinct from p_owner
    and v_known.group_key is not distinct from p_group_key
    and v_known.tags is not distinct from nullif(p_tags, '{}')
  then
    return 'unchanged';
  end if;

  if v_known.time_zone <> coalesce(p_time_zone, 'UTC') then
    perform lockstep.require_time_zone(p_name, p_time_zone);
  end if;
  update lockstep.schedules s
  set
    pipeline_id = v_pipeline_id,
    cron = p_cron,
    time_zone = coalesce(p_time_zone, 'UTC'),
    payload = coalesce(p_payload, 'null'),
    priority = p_priority,
    owner = p_owner,
    group_key = p_group_key,
    tags = nullif(p_tags, '{}'),
    missed = p_missed,
    revision = gen_random_uuid(),
    changed_at = p_now,
    problem = null,
    counts_from = case when t.is_same then s.counts_from else p_now end,
    next_at = case when t.is_same then s.next_at end,
    look_at = case
      when s.paused_at is not null then null
      when t.is_same then coalesce(s.next_at, '-infinity')
      else '-infinity'
    end
  from (
    select (v_known.cron, v_known.time_zone) = (p_cron, coalesce(p_time_zone, 'UTC')) as is_same
  ) t
  where s.name = p_name;
  return 'changed';
end;
$$;
