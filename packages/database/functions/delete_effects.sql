-- Retention: deletes effects whose job is gone, at most once per interval over the fleet, up to 5,000 a call.
-- p_keep is how long the shortest kept jobs are kept. Says how many it looked at; 5,000 means there may be more.
-- An effect can have outlived its job only when it is older than that, so each is looked at once in p_keep and a day.
create or replace function lockstep.delete_effects(
  p_keep interval default '7 days',
  p_interval interval default '0',
  p_now timestamptz default clock_timestamp()
)
returns integer
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
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
    -- finished jobs go by whole days
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
