-- The realtime log from a cursor on, in the order of ids, each event with the cursor that goes on after it. A null cursor
-- begins now, 'start' with the oldest event that is kept. Rows without a job:
--   events.read    the last one, when that was all for now; its cursor is where to go on
--   events.pruned  the first one, when retention has deleted what this cursor had not had
--
-- Ids are drawn before their transactions commit, and in another order, so that "all after this id" would skip what commits
-- late. A cursor therefore says which transactions it has had, as a snapshot (base). A read takes the snapshot of now
-- (target) and gives what is in it and not in the base, page by page in the order of ids; then the target is the base.
-- Nobody waits: a transaction that is still open stays on the list of the base, and is looked up by its number.
-- Of one job, nothing is given before what came earlier: whoever moved it next had to wait for the commit.
--
-- p_until, the cursor of an events.read, is a target that somebody else has taken: reading stops exactly there, and whoever
-- goes on from that place has had all of it, once. Of two snapshots one holds all that the other does, so the difference is
-- exact; a place before the cursor is refused.
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
-- volatile: a statement must see what was deleted while the one before it read
security definer
set search_path = pg_catalog, pg_temp
-- By index, whatever the statistics say. "id + 0" is an order that no index has: the one by id would be walked from its
-- start where another finds the few rows at once.
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set random_page_cost = 0
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_base pg_snapshot;
  v_target pg_snapshot;         -- null: to be taken now
  v_until pg_snapshot;
  v_last_id bigint := 0;        -- within what lies between the two
  v_deletions bigint;           -- that it was told of
  v_has_begun boolean;
  v_is_fresh boolean;
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
    -- there a snapshot does not say which transactions are open
    raise exception 'Events cannot be read from a standby server.'
      using errcode = 'LS003', hint = 'Read them from the primary.';
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
      if cardinality(v_parts) <> 5 or v_parts[1] <> '1' or v_parts[3] <> '' or length(p_until) > 20000 then
        raise invalid_text_representation;
      end if;
      v_until := v_parts[2];
    exception when invalid_text_representation or numeric_value_out_of_range then
      raise exception 'This is no place to read until: "%".', left(p_until, 100)
        using errcode = 'LS001', hint = 'Give the cursor of a row of the kind events.read.';
    end;
  end if;

  if p_cursor is null then
    return query select
      lockstep.event_cursor(lockstep.snapshot_of_others(), null, 0, d.deletions),
      'events.read', null::timestamptz, null::uuid, null::text, null::text, null::text, null::jsonb
    from lockstep.deleted_events d;
    return;
  elsif p_cursor = 'start' then
    v_base := '1:1:';
    select d.deletions into v_deletions from lockstep.deleted_events d;
    v_has_begun := true;
  else
    begin
      v_parts := string_to_array(p_cursor, '_');
      if cardinality(v_parts) <> 5 or v_parts[1] <> '1' or length(p_cursor) > 20000 then
        raise invalid_text_representation;
      end if;
      v_base := v_parts[2];
      v_target := nullif(v_parts[3], '');
      v_last_id := v_parts[4];
      v_deletions := v_parts[5];
      v_has_begun := v_target is not null;
    exception when invalid_text_representation or numeric_value_out_of_range then
      raise exception 'This is no cursor of read_events: "%".', left(p_cursor, 100)
        using errcode = 'LS001', hint = 'Give the cursor of an earlier answer as it is, ''start'', or none for what comes from now on.';
    end;
  end if;

  v_to := pg_snapshot_xmax(lockstep.snapshot_of_others());
  if pg_snapshot_xmax(v_base) > v_to or pg_snapshot_xmax(v_target) > v_to or pg_snapshot_xmax(v_until) > v_to then
    raise exception 'This cursor comes from another database, or from before this one was restored.'
      using errcode = 'LS001', hint = 'Begin again with ''start'', or with none.';
  end if;
  if pg_snapshot_xmax(coalesce(v_target, v_base)) > pg_snapshot_xmax(v_until)
    or exists (select from pg_snapshot_xip(v_until) x where pg_visible_in_snapshot(x, coalesce(v_target, v_base)))
  then
    raise exception 'The place to read until lies before the cursor.'
      using errcode = 'LS001', hint = 'Give a cursor of an events.read that came later.';
  end if;

  loop
    v_is_fresh := v_target is null;
    v_target := coalesce(v_target, v_until, lockstep.snapshot_of_others());
    v_late := array(select x from pg_snapshot_xip(v_base) x);
    v_from := pg_snapshot_xmax(v_base);
    v_to := pg_snapshot_xmax(v_target);

    if p_job_id is not null then
      v_events := array(
        select e
        from lockstep.events e
        where e.job_id = p_job_id
          and (p_owner is null or e.owner = p_owner)
          and (v_pipeline_id is null or e.pipeline_id = v_pipeline_id)
          and e.id + 0 > v_last_id
          and not pg_visible_in_snapshot(e.xid, v_base)
          and pg_visible_in_snapshot(e.xid, v_target)
        order by e.id + 0
        limit v_left
      );
    elsif p_owner is not null then
      v_events := array(
        select e
        from (
          select l.e
          from unnest(v_late) x
          -- "offset 0": one look for each, not a join that begins with all the owner has
          cross join lateral (select e from lockstep.events e where e.owner = p_owner and e.xid = x offset 0) l
          union all
          select e from lockstep.events e where e.owner = p_owner and e.xid >= v_from and e.xid < v_to
        ) w (e)
        where (e).id > v_last_id
          and (v_pipeline_id is null or (e).pipeline_id = v_pipeline_id)
          and pg_visible_in_snapshot((e).xid, v_target)
        order by (e).id
        limit v_left
      );
    elsif v_has_begun then
      -- All that is left has a larger id than the last one: a long way behind, this reads no more than it gives.
      v_events := array(
        select e
        from lockstep.events e
        where e.id > v_last_id
          and (v_pipeline_id is null or e.pipeline_id = v_pipeline_id)
          and not pg_visible_in_snapshot(e.xid, v_base)
          and pg_visible_in_snapshot(e.xid, v_target)
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
        where (v_pipeline_id is null or (e).pipeline_id = v_pipeline_id)
          and pg_visible_in_snapshot((e).xid, v_target)
        order by (e).id
        limit v_left
      );
    end if;

    -- Looked at after reading: a table that was dropped meanwhile is told of.
    select d.* into v_deleted from lockstep.deleted_events d;
    if v_deleted.deletions > v_deletions and (
      v_deleted.last_xid >= v_from and v_deleted.last_id > v_last_id
      or exists (select from unnest(v_late) x where x <= v_deleted.last_xid and pg_visible_in_snapshot(x, v_deleted.seen_in))
    ) then
      return query select
        lockstep.event_cursor(v_base, v_target, v_last_id, v_deleted.deletions),
        'events.pruned', null::timestamptz, null::uuid, null::text, null::text, null::text, null::jsonb;
    end if;

    return query
      select lockstep.event_cursor(v_base, v_target, e.id, v_deleted.deletions),
        e.kind, e.at, e.job_id, p.name, s.name, e.owner, e.detail
      from unnest(v_events) with ordinality as e
      join lockstep.pipelines p on p.id = e.pipeline_id
      join lockstep.stages s on s.id = e.stage_id
      order by e.ordinality;

    v_left := v_left - cardinality(v_events);
    exit when v_left = 0;
    -- That was all; an older target was of an earlier call, since when there may be more.
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
      lockstep.event_cursor(v_base, null, 0, v_deletions),
      'events.read', null::timestamptz, null::uuid, null::text, null::text, null::text, null::jsonb;
  end if;
end;
$$;
