-- Retention: makes the coming days' tables and drops those past their time, at most once per interval over the fleet;
-- those of the realtime log too.
-- Says how many tables were dropped. A table that a long reader holds is left for the next time.
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
set lock_timeout = '2s'
as $$
declare
  v_table record;
  v_dropped integer := 0;
begin
  if not lockstep.take_upkeep('retention', p_interval, p_now) then
    return 0;
  end if;

  begin
    perform lockstep.create_partitions(p_now => p_now);
  exception when lock_not_available then
    null;    -- the default tables hold what finishes until the next time
  end;

  for v_table in
    select c.relname
    from pg_class c
    join pg_inherits i on i.inhrelid = c.oid
    where i.inhparent in ('lockstep.completed_jobs'::regclass, 'lockstep.unsuccessful_jobs'::regclass)
      and c.relname ~ '_[0-9]{8}$'
      -- the day has ended, and the last job of it is old enough
      and (to_date(right(c.relname, 8), 'YYYYMMDD') + 1)::timestamp at time zone 'UTC' < p_now - case
        when i.inhparent = 'lockstep.completed_jobs'::regclass then p_keep_completed else p_keep_unsuccessful end
    order by c.relname
  loop
    begin
      execute format('drop table lockstep.%I', v_table.relname);
      v_dropped := v_dropped + 1;
    exception when lock_not_available then
      null;
    end;
  end loop;

  delete from lockstep.completed_jobs_default f where f.finished_at < p_now - p_keep_completed;
  delete from lockstep.unsuccessful_jobs_default f where f.finished_at < p_now - p_keep_unsuccessful;
  delete from lockstep.group_rates g where g.used_until[cardinality(g.used_until)] < p_now;
  delete from lockstep.attempt_outcomes o where o.at < p_now - interval '1 day';
  delete from lockstep.batches b where b.finished_at < p_now - greatest(p_keep_completed, p_keep_unsuccessful);
  delete from lockstep.stage_history h where h.minute < p_now - interval '30 days';

  return v_dropped + lockstep.delete_old_events(p_keep_events, p_now);
end;
$$;
