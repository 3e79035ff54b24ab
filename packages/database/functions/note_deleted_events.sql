-- Notes how far a deletion of events went, for readers that have not had them. Null: nothing was deleted.
create or replace function lockstep.note_deleted_events(p_last_id bigint, p_last_xid xid8)
returns void
language sql
security definer
set search_path = pg_catalog, pg_temp
as $$
  update lockstep.deleted_events d
  set deletions = d.deletions + 1,
      last_id = greatest(d.last_id, p_last_id),
      last_xid = greatest(d.last_xid, p_last_xid),
      seen_in = pg_current_snapshot()
  where p_last_id is not null;
$$;
