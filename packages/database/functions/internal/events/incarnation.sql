-- The current incarnation of this server and database, to which cursors of the realtime log belong; inserted if it is not there yet. There
-- is a row for each start of the server: cursors from before a clean shutdown stay valid, but not those that were given after the files
-- of a backup were copied, once that backup is restored. Callers do not wait for each other: if one start has several rows, any will do.
create or replace function lockstep.incarnation()
returns lockstep.known_incarnations
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_incarnation lockstep.known_incarnations;
begin
  select i.* into v_incarnation
  from lockstep.known_incarnations i
  where i.started_at = pg_postmaster_start_time()
  limit 1;
  if found then
    return v_incarnation;
  end if;
  if current_setting('transaction_read_only')::boolean then
    raise exception 'The first read of the realtime log after a start of the server must be in a transaction that may write.'
      using errcode = 'read_only_sql_transaction', hint = 'Read it once in a transaction that is not read-only.';
  end if;

  -- A row that can be seen although its transaction has not ended came from a dump, with a transaction id of another server.
  select greatest(max(e.id), (select max(i.restored_id) from lockstep.known_incarnations i), 0)
  into v_incarnation.restored_id
  from lockstep.events e
  where e.xid >= pg_snapshot_xmin(pg_current_snapshot())
    and not pg_visible_in_snapshot(e.xid, pg_current_snapshot())
    and e.xid is distinct from pg_current_xact_id_if_assigned();
  update lockstep.deleted_events d
  set last_xid = '0'
  where not pg_visible_in_snapshot(d.last_xid, pg_current_snapshot());

  insert into lockstep.incarnations as i (started_at, database_oid, restored_id)
  select pg_postmaster_start_time(), d.oid, v_incarnation.restored_id
  from pg_database d
  where d.datname = current_database()
  returning i.id, i.started_at, i.restored_id into v_incarnation;
  -- Not pg_current_xact_id(): after a savepoint, a row has the id of the subtransaction.
  update lockstep.incarnations i set written_by = i.xmin where i.id = v_incarnation.id;
  return v_incarnation;
end;
$$;
