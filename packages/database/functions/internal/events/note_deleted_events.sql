-- Records how far a deletion of events went, for readers that have not had them. Null: nothing was deleted.
create or replace function lockstep.note_deleted_events(p_last_id bigint, p_last_xid xid8)
returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_restored_id bigint;
begin
  if p_last_id is null then
    return;
  end if;
  v_restored_id := (lockstep.incarnation()).restored_id;
  update lockstep.deleted_events d
  set deletions = d.deletions + 1,
      last_id = greatest(d.last_id, p_last_id),
      last_xid = greatest(d.last_xid, case
        -- From a dump: only a reader that begins with 'start' has not had them.
        when p_last_id <= v_restored_id then '1'
        when pg_visible_in_snapshot(p_last_xid, pg_current_snapshot()) then p_last_xid
        -- Some of the events came from a dump, and have transaction ids that mean nothing here.
        else pg_snapshot_xmax(pg_current_snapshot())
      end),
      seen_in = pg_current_snapshot();
end;
$$;
