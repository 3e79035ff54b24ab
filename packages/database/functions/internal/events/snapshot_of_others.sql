-- The current snapshot, without the caller's own transaction. PostgreSQL's own snapshot may include that transaction; then what it writes
-- after a read would count as already read.
create or replace function lockstep.snapshot_of_others()
returns pg_snapshot
language sql
stable
as $$
  select case
    when s.own is null or not pg_visible_in_snapshot(s.own, s.snapshot) then s.snapshot
    else format(
      '%s:%s:%s',
      least(pg_snapshot_xmin(s.snapshot), s.own),
      pg_snapshot_xmax(s.snapshot),
      (
        select string_agg(x.xid::text, ',' order by x.xid)
        from (select pg_snapshot_xip(s.snapshot) union select s.own) as x (xid)
      )
    )::pg_snapshot
  end
  from (select pg_current_snapshot(), pg_current_xact_id_if_assigned()) as s (snapshot, own);
$$;
