-- Retention of what is deleted row by row, at most once per interval for the whole fleet, up to 5,000 rows of each kind per call: finished
-- jobs, events and chunks of days that had no table, and old streams, history, outcomes, rates and batches. Also creates the tables of the coming days.
-- Returns the largest number of rows deleted of one kind; 5,000 means that there may be more. drop_old_table drops whole days.
create or replace function lockstep.delete_finished_jobs(
  p_keep_completed interval default '7 days',
  p_keep_unsuccessful interval default '30 days',
  p_interval interval default '0',
  p_keep_events interval default '3 days',
  p_now timestamptz default clock_timestamp()
)
returns integer
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_kind record;
  v_gone integer;
  v_largest integer;
begin
  if not lockstep.take_upkeep('retention', p_interval, p_now) then
    return 0;
  end if;

  v_largest := lockstep.delete_old_events(p_keep_events, p_now);
  for v_kind in
    select *
    from (
      values
        ('completed_jobs_default', 'finished_at', p_now - p_keep_completed),
        ('unsuccessful_jobs_default', 'finished_at', p_now - p_keep_unsuccessful),
        ('group_rates', 'used_until[cardinality(used_until)]', p_now),
        ('attempt_outcomes', 'at', p_now - interval '1 day'),
        ('batches', 'finished_at', p_now - greatest(p_keep_completed, p_keep_unsuccessful)),
        -- by whole days, since drop_old_table drops their chunks so
        ('streams', 'begun_at', date_trunc('day', p_now - p_keep_events, 'UTC')),
        ('stream_chunks_default', 'begun_at', date_trunc('day', p_now - p_keep_events, 'UTC')),
        ('stage_history', 'minute', p_now - interval '30 days'),
        ('stage_history_by_hour', 'hour', p_now - interval '30 days')
    ) as k (table_name, ended_at, kept_from)
  loop
    execute format(
      'delete from lockstep.%1$I where ctid = any (array(select ctid from lockstep.%1$I where %2$s < $1 limit 5000))',
      v_kind.table_name, v_kind.ended_at
    ) using v_kind.kept_from;
    get diagnostics v_gone = row_count;
    v_largest := greatest(v_largest, v_gone);
  end loop;

  -- Last, since readers of the default tables then have to wait until this transaction ends.
  perform lockstep.create_partitions(p_now => p_now);
  return v_largest;
end;
$$;
