-- Retention: drops the next day table, of finished jobs, events or streams, that is past its time. One table per call and each call in a
-- transaction of its own, so that a dropped table stays dropped whatever happens later, and nobody waits for more than one table.
-- Call it until no row comes back, each time with the place that it returned.
--   is_gone  false: a session holds the table. It is recorded in held_tables, where doctor finds it, and tried again next time
create or replace function lockstep.drop_old_table(
  p_keep_completed interval default '7 days',
  p_keep_unsuccessful interval default '30 days',
  p_keep_events interval default '3 days',
  p_place text default '',
  p_now timestamptz default clock_timestamp()
)
returns table (name text, is_gone boolean, place text)
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
set lock_timeout = '100ms'
as $$
#variable_conflict use_column
declare
  v_old text[];
  v_kind text;
  v_last record;
begin
  select array_agg(c.relname::text order by c.relname)
  into v_old
  from pg_inherits i
  join pg_class c on c.oid = i.inhrelid
  join unnest(
    array['completed_jobs', 'unsuccessful_jobs', 'events', 'stream_chunks'],
    array[p_keep_completed, p_keep_unsuccessful, p_keep_events, p_keep_events]
  ) as k (kind, keep) on i.inhparent = format('lockstep.%I', k.kind)::regclass
  where c.relname ~ '_[0-9]{8}$'
    -- the day has ended, and the last row of it is old enough
    and (to_date(right(c.relname, 8), 'YYYYMMDD') + 1)::timestamp at time zone 'UTC' < p_now - k.keep;

  -- these were dropped by somebody else, or are to be kept for longer now
  delete from lockstep.held_tables h where h.name <> all (coalesce(v_old, '{}'));

  select o.name into name
  from unnest(v_old) as o (name)
  where o.name collate "C" > p_place
  order by o.name collate "C"
  limit 1;
  if not found then
    return;
  end if;
  v_kind := left(name, -9);

  begin
    -- First the table itself, which only readers of that day use. Workers that end jobs do not wait meanwhile.
    place := name;
    execute format('lock table lockstep.%I in access exclusive mode', name);
    -- A session that holds the default table or the parent blocks every table of this kind: then go on with the next kind.
    place := v_kind || '_~';
    execute format('lock table lockstep.%I in access exclusive mode', v_kind || '_default');
    -- Last the parent, through which everybody writes: from here on they have to wait.
    execute format('lock table only lockstep.%I in access exclusive mode', v_kind);
    if v_kind = 'events' then
      execute format(
        'select (select id from lockstep.%1$I order by id desc limit 1) as id,
          (select xid from lockstep.%1$I order by xid desc limit 1) as xid',
        name
      ) into v_last;
      perform lockstep.note_deleted_events(v_last.id, v_last.xid);
    end if;
    execute format('drop table lockstep.%I', name);
    place := name;
    is_gone := true;
    delete from lockstep.held_tables h where h.name = drop_old_table.name;
  exception
    when lock_not_available then
      is_gone := false;
      insert into lockstep.held_tables as h (name, since, tried_at, tries)
      values (drop_old_table.name, p_now, p_now, 1)
      on conflict (name) do update set tried_at = excluded.tried_at, tries = h.tries + 1;
    when undefined_table then
      is_gone := true;    -- another caller was faster
  end;
  return next;
end;
$$;
