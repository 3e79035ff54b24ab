-- Folds the rows of stage_moves into the counts, the totals and the history by minute and by hour, at most once per interval for the
-- whole fleet. Returns how many rows it folded.
create or replace function lockstep.fold_counters(
  p_interval interval default '0',
  p_now timestamptz default clock_timestamp()
)
returns integer
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_folded integer;
begin
  if not lockstep.take_upkeep('fold', p_interval, p_now) then
    return 0;
  end if;

  with moved as materialized (
    delete from lockstep.stage_moves returning *
  ),
  deltas as (
    select stage_id, status, sum(jobs) as jobs
    from (
      select stage_id, moved_to as status, jobs from moved where moved_to <> ''
      union all
      select stage_id, moved_from, -jobs from moved where moved_from <> ''
    ) d
    group by stage_id, status
  ),
  counted as (
    insert into lockstep.stage_counts as c (stage_id, status, jobs)
    select stage_id, status::lockstep.job_status, jobs from deltas
    on conflict (stage_id, status) do update set jobs = c.jobs + excluded.jobs
  ),
  totalled as (
    insert into lockstep.stage_totals as t (stage_id, moved_from, moved_to, wait_bucket, run_bucket, jobs)
    select stage_id, moved_from, moved_to, wait_bucket, run_bucket, sum(jobs)
    from moved
    group by 1, 2, 3, 4, 5
    on conflict (stage_id, moved_from, moved_to, wait_bucket, run_bucket) do update set jobs = t.jobs + excluded.jobs
  ),
  kept as (
    insert into lockstep.stage_history as h (minute, stage_id, moved_from, moved_to, wait_bucket, run_bucket, jobs)
    select date_trunc('minute', at), stage_id, moved_from, moved_to, wait_bucket, run_bucket, sum(jobs)
    from moved
    group by 1, 2, 3, 4, 5, 6
    on conflict (minute, stage_id, moved_from, moved_to, wait_bucket, run_bucket) do update set jobs = h.jobs + excluded.jobs
  ),
  kept_by_hour as (
    insert into lockstep.stage_history_by_hour as h (hour, stage_id, moved_from, moved_to, wait_bucket, run_bucket, jobs)
    -- in UTC, as read_stage_history reads them; in some time zones hours begin at half past
    select date_trunc('hour', at, 'UTC'), stage_id, moved_from, moved_to, wait_bucket, run_bucket, sum(jobs)
    from moved
    group by 1, 2, 3, 4, 5, 6
    on conflict (hour, stage_id, moved_from, moved_to, wait_bucket, run_bucket) do update set jobs = h.jobs + excluded.jobs
  )
  select count(*) into v_folded from moved;

  return v_folded;
end;
$$;
