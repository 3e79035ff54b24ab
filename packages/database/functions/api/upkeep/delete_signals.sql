-- Retention: deletes signals and signal keys whose job is gone, at most once per interval for the whole fleet, up to 5,000 of each per call.
-- p_keep is the shortest time that jobs are kept. Returns how many rows it checked of the kind that has more of them; 5,000 means that
-- there may be more. Like delete_effects, it checks a row only once per p_keep plus a day.
create or replace function lockstep.delete_signals(
  p_keep interval default '7 days',
  p_interval interval default '0',
  p_now timestamptz default clock_timestamp()
)
returns integer
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_signals integer;
  v_keys integer;
begin
  if not lockstep.take_upkeep('signals', p_interval, p_now) then
    return 0;
  end if;

  with due as materialized (
    select g.job_id, g.name, g.job_added_at, g.pipeline_id
    from lockstep.signals g
    where g.looked_at < p_now - p_keep - interval '1 day'
    order by g.looked_at
    limit 5000
    for update skip locked
  ),
  judged as materialized (
    select d.job_id, d.name, lockstep.has_job(d.job_id, d.job_added_at, d.pipeline_id) as has_job from due d
  ),
  gone as (
    delete from lockstep.signals g
    using judged d
    where g.job_id = d.job_id and g.name = d.name and not d.has_job
  ),
  kept as (
    update lockstep.signals g
    set looked_at = p_now
    from judged d
    where g.job_id = d.job_id and g.name = d.name and d.has_job
  )
  select count(*) into v_signals from judged;

  with due as materialized (
    select k.pipeline_id, k.key, k.job_id, k.job_added_at
    from lockstep.signal_keys k
    where k.looked_at < p_now - p_keep - interval '1 day'
    order by k.looked_at
    limit 5000
    for update skip locked
  ),
  judged as materialized (
    select d.pipeline_id, d.key, lockstep.has_job(d.job_id, d.job_added_at, d.pipeline_id) as has_job from due d
  ),
  gone as (
    delete from lockstep.signal_keys k
    using judged d
    where k.pipeline_id = d.pipeline_id and k.key = d.key and not d.has_job
  ),
  kept as (
    update lockstep.signal_keys k
    set looked_at = p_now
    from judged d
    where k.pipeline_id = d.pipeline_id and k.key = d.key and d.has_job
  )
  select count(*) into v_keys from judged;
  return greatest(v_signals, v_keys);
end;
$$;
