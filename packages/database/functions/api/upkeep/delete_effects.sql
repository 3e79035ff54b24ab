-- Retention: deletes effects whose job is gone, at most once per interval for the whole fleet, up to 5,000 per call.
-- p_keep is the shortest time that jobs are kept. Returns how many effects it checked; 5,000 means that there may be more.
-- Only an effect older than p_keep can have outlived its job, so each is checked once per p_keep plus a day.
create or replace function lockstep.delete_effects(
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
  v_looked_at integer;
begin
  if not lockstep.take_upkeep('effects', p_interval, p_now) then
    return 0;
  end if;

  with due as materialized (
    select e.job_id, e.key, e.job_added_at, e.pipeline_id
    from lockstep.effects e
    -- a day more, since finished jobs are dropped by whole days
    where e.looked_at < p_now - p_keep - interval '1 day'
    order by e.looked_at
    limit 5000
    for update skip locked
  ),
  judged as materialized (
    select
      d.job_id, d.key,
      exists (
        select from lockstep.jobs j where j.id = d.job_id and j.added_at = d.job_added_at
      ) or exists (
        select from lockstep.finished_jobs f
        where f.pipeline_id = d.pipeline_id and f.id = d.job_id and f.added_at = d.job_added_at
      ) as has_job
    from due d
  ),
  gone as (
    delete from lockstep.effects e
    using judged d
    where e.job_id = d.job_id and e.key = d.key and not d.has_job
  ),
  kept as (
    update lockstep.effects e
    set looked_at = p_now
    from judged d
    where e.job_id = d.job_id and e.key = d.key and d.has_job
  )
  select count(*) into v_looked_at from judged;
  return v_looked_at;
end;
$$;
