-- The realtime log after a cursor, in the order of ids; each event comes with the cursor to continue from. A null cursor begins now,
-- 'start' begins with the oldest event that is kept. Two kinds of rows have no job:
--   events.read    the last row, if there are no more events for now; continue from its cursor
--   events.reset   the first row, if events after this cursor cannot be read. Either retention has deleted them: reading goes on with those
--                  that are left. Or the cursor is of another database, or from before this one crashed, failed over or was restored:
--                  reading begins now
--
-- Ids are drawn before their transactions commit, and transactions commit in another order. So "all events after this id" would skip
-- events that commit late. A cursor therefore contains a snapshot (base) of the transactions that its reader has had. A read takes the
-- current snapshot (target) and returns the events that are in the target and not in the base, page by page in the order of ids.
-- Then the target becomes the base.
-- Nobody waits: a transaction that is still open is listed in the base, and its events are looked up later by its transaction id.
-- The events of one job always come in their order, since the next move of a job has to wait for the commit of the one before.
--
-- All this holds only within one incarnation of the server. A crash can lose transactions that a snapshot counts as ended, and their ids are
-- used again. So a cursor also names its incarnation.
--
-- p_until is the cursor of an events.read, and so a target that another reader has taken. Reading ends exactly there, and a reader that
-- continues from that place has had every event once. Of two snapshots, the later one contains all of the earlier one, so the difference is
-- exact. A p_until before the cursor is refused.
create or replace function lockstep.read_events(
  p_cursor text default null,
  p_owner text default null,
  p_pipeline text default null,
  p_job_id uuid default null,
  p_limit integer default 100,
  p_until text default null
)
returns table (
  "cursor" text,
  kind text,
  at timestamptz,
  job_id uuid,
  pipeline text,
  stage text,
  owner text,
  detail jsonb
)
language plpgsql
-- volatile: a statement must see what was deleted while the previous one was reading
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_base pg_snapshot;
  v_target pg_snapshot;         -- null: to be taken now
  v_until pg_snapshot;
  v_last_id bigint := 0;        -- the last event returned of those between the two
  v_deletions bigint;           -- how many deletions the reader knows of
  v_has_begun boolean;
  v_is_fresh boolean;
  v_incarnation lockstep.known_incarnations;
  v_named uuid;                 -- the incarnation that the cursor names
  v_until_named uuid;
  v_had_id bigint;              -- events up to this id are not returned
  v_left integer := p_limit;
  v_late xid8[];
  v_from xid8;
  v_to xid8;
  v_pipeline_id integer;
  v_events lockstep.events[];
  v_deleted lockstep.deleted_events;
  v_parts text[];
  v_is_last boolean;
begin
  if p_limit is null or p_limit not between 1 and 1000 then
    raise exception 'The limit is %, but must be from 1 to 1000.', p_limit using errcode = 'LS001';
  end if;
  if pg_is_in_recovery() then
    -- A snapshot there does not say which transactions are open. The server may become the primary, so callers can try again.
    raise exception 'Events cannot be read from a server in recovery.'
      using errcode = 'read_only_sql_transaction', hint = 'Read them from the primary, or wait until this server is the primary.';
  end if;
  if p_pipeline is not null then
    select p.id into v_pipeline_id from lockstep.pipelines p where p.name = p_pipeline;
    if not found then
      raise exception 'There is no pipeline "%".', p_pipeline using errcode = 'LS002';
    end if;
  end if;

  if p_until is not null then
    begin
      v_parts := string_to_array(p_until, '_');
      if cardinality(v_parts) <> 6 or v_parts[1] <> '2' or v_parts[4] <> '' or length(p_until) > 20000 then
        raise invalid_text_representation;
      end if;
      v_until_named := v_parts[2];
      v_until := v_parts[3];
    exception when invalid_text_representation or numeric_value_out_of_range then
      raise exception 'p_until is not a valid cursor: "%".', left(p_until, 100)
        using errcode = 'LS001', hint = 'Use the cursor of an events.read row.';
    end;
  end if;

  v_incarnation := lockstep.incarnation();
  if p_cursor is null then
    return query select
      lockstep.event_cursor(v_incarnation.id, lockstep.snapshot_of_others(), null, 0, d.deletions),
      'events.read', null::timestamptz, null::uuid, null::text, null::text, null::text, null::jsonb
    from lockstep.deleted_events d;
    return;
  elsif p_cursor = 'start' then
    v_named := v_incarnation.id;
    v_base := '1:1:';
    select d.deletions into v_deletions from lockstep.deleted_events d;
    v_has_begun := true;
  else
    begin
      v_parts := string_to_array(p_cursor, '_');
      if v_parts[1] = '1' then
        -- a cursor of an older release, without an incarnation
        v_parts := array['2', '00000000-0000-0000-0000-000000000000'] || v_parts[2:];
      end if;
      if cardinality(v_parts) <> 6 or v_parts[1] <> '2' or length(p_cursor) > 20000 then
        raise invalid_text_representation;
      end if;
      v_named := v_parts[2];
      v_base := v_parts[3];
      v_target := nullif(v_parts[4], '');
      v_last_id := v_parts[5];
      v_deletions := v_parts[6];
      v_has_begun := v_target is not null;
    exception when invalid_text_representation or numeric_value_out_of_range then
      raise exception 'p_cursor is not a valid cursor: "%".', left(p_cursor, 100)
        using errcode = 'LS001', hint = 'Use a cursor that read_events returned, unchanged; or ''start'' for all events; or null for events from now on.';
    end;
  end if;

  v_to := pg_snapshot_xmax(lockstep.snapshot_of_others());
  if pg_snapshot_xmax(v_until) > v_to or not lockstep.is_known_incarnation(v_until_named, v_incarnation.id) then
    raise exception 'p_until is of another database, or from before this one crashed, failed over or was restored.'
      using errcode = 'LS001', hint = 'Use the cursor of a later events.read row.';
  end if;
  if pg_snapshot_xmax(v_base) > v_to or pg_snapshot_xmax(v_target) > v_to
    or not lockstep.is_known_incarnation(v_named, v_incarnation.id)
  then
    return query select
      coalesce(p_until, lockstep.event_cursor(v_incarnation.id, lockstep.snapshot_of_others(), null, 0, d.deletions)),
      k.kind, null::timestamptz, null::uuid, null::text, null::text, null::text, null::jsonb
    from lockstep.deleted_events d, unnest('{events.reset,events.read}'::text[]) as k (kind);
    return;
  end if;
  if pg_snapshot_xmax(coalesce(v_target, v_base)) > pg_snapshot_xmax(v_until)
    or exists (select from pg_snapshot_xip(v_until) x where pg_visible_in_snapshot(x, coalesce(v_target, v_base)))
  then
    raise exception 'p_until is before p_cursor.'
      using errcode = 'LS001', hint = 'Use the cursor of a later events.read row.';
  end if;

  loop
    v_is_fresh := v_target is null;
    v_target := coalesce(v_target, v_until, lockstep.snapshot_of_others());
    v_late := array(select x from pg_snapshot_xip(v_base) x);
    v_from := pg_snapshot_xmax(v_base);
    v_to := pg_snapshot_xmax(v_target);
    v_had_id := v_last_id;
    if v_incarnation.restored_id > 0 and v_base::text = '1:1:' then
      v_to := '18446744073709551615';    -- events from a dump are to be read too, whatever their transaction ids are
    elsif v_incarnation.restored_id > 0 then
      v_had_id := greatest(v_last_id, v_incarnation.restored_id);
    end if;

    if p_job_id is not null then
      v_events := array(
        select e
        from lockstep.events e
        where e.job_id = p_job_id
          and (p_owner is null or e.owner = p_owner)
          and (v_pipeline_id is null or e.pipeline_id = v_pipeline_id)
          and e.id + 0 > v_had_id    -- "+ 0", so that the index by id is not scanned from its start
          and not pg_visible_in_snapshot(e.xid, v_base)
          and (e.id <= v_incarnation.restored_id or pg_visible_in_snapshot(e.xid, v_target))
        order by e.id + 0
        limit v_left
      );
    elsif p_owner is not null then
      v_events := array(
        select e
        from (
          select l.e
          from unnest(v_late) x
          -- "offset 0": one index lookup for each, not a join that begins with all events of the owner
          cross join lateral (select e from lockstep.events e where e.owner = p_owner and e.xid = x offset 0) l
          union all
          select e from lockstep.events e where e.owner = p_owner and e.xid >= v_from and e.xid < v_to
        ) w (e)
        where (e).id > v_had_id
          and (v_pipeline_id is null or (e).pipeline_id = v_pipeline_id)
          and ((e).id <= v_incarnation.restored_id or pg_visible_in_snapshot((e).xid, v_target))
        order by (e).id
        limit v_left
      );
    elsif v_has_begun then
      -- All events that are left have larger ids than the last one, so that even a reader far behind reads no more than it gets.
      v_events := array(
        select e
        from lockstep.events e
        where e.id > v_had_id
          and (v_pipeline_id is null or e.pipeline_id = v_pipeline_id)
          and not pg_visible_in_snapshot(e.xid, v_base)
          and (e.id <= v_incarnation.restored_id or pg_visible_in_snapshot(e.xid, v_target))
        order by e.id
        limit v_left
      );
    else
      v_events := array(
        select e
        from (
          select l.e from unnest(v_late) x cross join lateral (select e from lockstep.events e where e.xid = x offset 0) l
          union all
          select e from lockstep.events e where e.xid >= v_from and e.xid < v_to
        ) w (e)
        where (e).id > v_had_id
          and (v_pipeline_id is null or (e).pipeline_id = v_pipeline_id)
          and ((e).id <= v_incarnation.restored_id or pg_visible_in_snapshot((e).xid, v_target))
        order by (e).id
        limit v_left
      );
    end if;

    -- After reading, so that the reader is also told of a table that was dropped meanwhile.
    select d.* into v_deleted from lockstep.deleted_events d;
    if v_deleted.deletions > v_deletions and (
      v_deleted.last_xid >= v_from and v_deleted.last_id > v_last_id
      or exists (select from unnest(v_late) x where x <= v_deleted.last_xid and pg_visible_in_snapshot(x, v_deleted.seen_in))
    ) then
      return query select
        lockstep.event_cursor(v_incarnation.id, v_base, v_target, v_last_id, v_deleted.deletions),
        'events.reset', null::timestamptz, null::uuid, null::text, null::text, null::text, null::jsonb;
    end if;

    return query
      select lockstep.event_cursor(v_incarnation.id, v_base, v_target, e.id, v_deleted.deletions),
        e.kind, e.at, e.job_id, p.name, s.name, e.owner, e.detail
      from unnest(v_events) with ordinality as e
      join lockstep.pipelines p on p.id = e.pipeline_id
      join lockstep.stages s on s.id = e.stage_id
      order by e.ordinality;

    v_left := v_left - cardinality(v_events);
    exit when v_left = 0;
    -- That was all up to the target. If an earlier call took the target, there may be more by now.
    v_is_last := v_is_fresh or v_target::text = v_until::text;
    v_base := v_target;
    v_target := null;
    v_last_id := 0;
    v_deletions := v_deleted.deletions;
    v_has_begun := false;
    exit when v_is_last;
  end loop;

  if v_left > 0 then
    return query select
      lockstep.event_cursor(v_incarnation.id, v_base, null, 0, v_deletions),
      'events.read', null::timestamptz, null::uuid, null::text, null::text, null::text, null::jsonb;
  end if;
end;
$$;
