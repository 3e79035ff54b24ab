-- Retention of the realtime log: drops the tables of the days that are past their time, and notes what readers can no
-- longer have. Says how many tables were dropped. One that somebody holds is left for the next time.
create or replace function lockstep.delete_old_events(p_keep interval, p_now timestamptz)
returns integer
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
-- While a drop waits, all who write events wait behind it.
set lock_timeout = '300ms'
as $$
declare
  v_table record;
  v_last record;
  v_dropped integer := 0;
begin
  for v_table in
    select c.relname
    from pg_class c
    join pg_inherits i on i.inhrelid = c.oid
    where i.inhparent = 'lockstep.events'::regclass
      and c.relname ~ '_[0-9]{8}$'
      and (to_date(right(c.relname, 8), 'YYYYMMDD') + 1)::timestamp at time zone 'UTC' < p_now - p_keep
    order by c.relname
  loop
    begin
      -- first the lock, as the drop takes it: nothing is written between the look and the drop
      execute format('lock table only lockstep.events, lockstep.%I in access exclusive mode', v_table.relname);
      execute format(
        'select (select id from lockstep.%1$I order by id desc limit 1) as id,
          (select xid from lockstep.%1$I order by xid desc limit 1) as xid',
        v_table.relname
      ) into v_last;
      execute format('drop table lockstep.%I', v_table.relname);
      perform lockstep.note_deleted_events(v_last.id, v_last.xid);
      v_dropped := v_dropped + 1;
    exception when lock_not_available then
      null;
    end;
  end loop;

  -- events of days that had no table
  with gone as (
    delete from lockstep.events_default e where e.at < p_now - p_keep returning e.id, e.xid
  )
  select max(gone.id) as id, (select g.xid from gone g order by g.xid desc limit 1) as xid into v_last from gone;
  perform lockstep.note_deleted_events(v_last.id, v_last.xid);
  return v_dropped;
end;
$$;
