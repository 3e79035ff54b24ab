-- Whether retention can drop the tables that are past their time, and which sessions prevent it.
create or replace function lockstep.diagnose_retention(p_now timestamptz default clock_timestamp())
returns table (check_name text, severity text, finding text, advice text, repair_sql text)
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  return query
    select 'retention',
      case when t.since < p_now - interval '1 day' then 'bad' else 'warn' end,
      format('retention has tried to drop the table lockstep.%I since %s, without success: ', t.name,
          to_char(t.since at time zone 'UTC', 'YYYY-MM-DD HH24:MI "UTC"'))
        || coalesce('held by ' || h.sessions, 'the session that held it is gone'),
      case when h.sessions is null
        then 'Retention tries again every hour.'
        else 'Commit or roll back there, or end the session. Retention tries again every hour.'
      end,
      case when h.first_pid is not null then format('select pg_terminate_backend(%s);', h.first_pid) end
    from lockstep.held_tables t
    cross join lateral (
      select
        string_agg(format('session %s (%s, user %s, %s since %s)', s.pid, coalesce(nullif(s.application_name, ''), 'no application name'),
          s.usename, coalesce(s.state, 'no state'), to_char(s.xact_start at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"')),
          ', ' order by s.xact_start) as sessions,
        (array_agg(s.pid order by s.xact_start))[1] as first_pid
      from (
        select distinct a.pid, a.application_name, a.usename, a.state, a.xact_start
        from pg_locks l
        join pg_stat_activity a on a.pid = l.pid
        where l.locktype = 'relation'
          and l.granted
          and l.database = (select d.oid from pg_database d where d.datname = current_database())
          and l.relation in (
            to_regclass(format('lockstep.%I', t.name)),
            to_regclass(format('lockstep.%I', left(t.name, -9) || '_default')),
            to_regclass(format('lockstep.%I', left(t.name, -9)))
          )
          and l.pid <> pg_backend_pid()
          -- a transaction this young is not the cause
          and coalesce(a.xact_start < p_now - interval '1 second', true)
        order by a.xact_start
        limit 3
      ) s
    ) h
    order by t.since, t.name
    limit 3;
  if not found then
    return query select 'retention', 'ok', 'retention could drop every table that was past its time', null, null;
  end if;
end;
$$;
