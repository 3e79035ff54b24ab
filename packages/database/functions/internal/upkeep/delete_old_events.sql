-- Retention of the realtime log: deletes old events of days that had no table, up to 5,000 per call, and records for readers how far it
-- went. Returns how many it deleted. drop_old_table drops whole days.
create or replace function lockstep.delete_old_events(p_keep interval, p_now timestamptz)
returns integer
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_gone record;
begin
  with gone as (
    delete from lockstep.events_default e
    where e.ctid = any (array(select o.ctid from lockstep.events_default o where o.at < p_now - p_keep limit 5000))
    returning e.id, e.xid
  )
  select count(*)::integer as events, max(g.id) as id, (select l.xid from gone l order by l.xid desc limit 1) as xid
  into v_gone
  from gone g;
  perform lockstep.note_deleted_events(v_gone.id, v_gone.xid);
  return v_gone.events;
end;
$$;
