-- What holds back vacuum: while an old snapshot is in use, no row that was deleted after it can be removed.
create or replace function lockstep.diagnose_horizon(p_now timestamptz default clock_timestamp())
returns table (check_name text, severity text, finding text, advice text, repair_sql text)
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_found boolean := false;
begin
  return query
    select 'xmin horizon', case when a.xact_start < p_now - interval '1 hour' then 'bad' else 'warn' end,
      format('session %s (%s, user %s, %s) holds back vacuum: its transaction began at %s, its last query at %s',
        a.pid, coalesce(nullif(a.application_name, ''), 'no application name'), a.usename, coalesce(a.state, 'no state'),
        to_char(a.xact_start at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"'),
        to_char(a.query_start at time zone 'UTC', 'HH24:MI:SS')),
      'Commit or roll back there, or end the session. idle_in_transaction_session_timeout can end such sessions automatically.',
      format('select pg_terminate_backend(%s);', a.pid)
    from pg_stat_activity a
    where a.datname = current_database()
      and a.pid <> pg_backend_pid()
      and coalesce(a.backend_xmin, a.backend_xid) is not null
      and a.xact_start < p_now - interval '5 minutes'
      and a.backend_type <> 'autovacuum worker'
    order by greatest(age(a.backend_xmin), age(a.backend_xid)) desc
    limit 3;
  v_found := v_found or found;

  return query
    select 'xmin horizon', case when x.prepared < p_now - interval '1 hour' then 'bad' else 'warn' end,
      format('prepared transaction %L of %s has been open since %s, and holds back vacuum', x.gid, x.owner,
        to_char(x.prepared at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"')),
      'Ask whoever prepared it whether it must be committed; if nobody knows, roll it back.',
      format('rollback prepared %L;', x.gid)
    from pg_prepared_xacts x
    where x.database = current_database() and x.prepared < p_now - interval '5 minutes'
    order by x.prepared
    limit 3;
  v_found := v_found or found;

  return query
    select 'xmin horizon', 'warn',
      case when s.active
        then format('replication slot %s holds back vacuum by %s transactions', s.slot_name, s.behind)
        else format('replication slot %s is inactive: it keeps everything that its reader has not fetched, without limit', s.slot_name)
      end,
      case when s.active
        then 'Its reader is behind: find out why.'
        else 'Let its reader connect again; if there is no reader any more, drop the slot.'
      end,
      case when not s.active then format('select pg_drop_replication_slot(%L);', s.slot_name) end
    from (
      select r.slot_name, r.active, greatest(age(r.xmin), age(r.catalog_xmin)) as behind
      from pg_replication_slots r
      where not r.temporary
    ) s
    where not s.active or s.behind > 1000000
    order by s.slot_name
    limit 3;
  v_found := v_found or found;

  return query
    select 'xmin horizon', 'warn',
      format('standby %s holds back vacuum by %s transactions (hot_standby_feedback)',
        coalesce(nullif(r.application_name, ''), r.client_addr::text, r.pid::text), age(r.backend_xmin)),
      'A long query is running on that standby: end it there.', null
    from pg_stat_replication r
    where age(r.backend_xmin) > 1000000
    order by age(r.backend_xmin) desc
    limit 3;
  v_found := v_found or found;

  if not v_found then
    return query select 'xmin horizon', 'ok', 'no session, prepared transaction or replication slot holds back vacuum', null, null;
  end if;

  if not pg_has_role(current_user, 'pg_read_all_stats', 'usage') then
    return query select 'sessions of others', 'warn',
      format('user %s, who owns the functions of Lockstep, cannot see the sessions of other users', current_user),
      'One of them may hold back vacuum unnoticed: allow this user to read all statistics.',
      format('grant pg_read_all_stats to %I;', current_user);
  end if;
end;
$$;
