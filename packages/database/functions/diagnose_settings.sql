-- Whether the server is set up so that the promises hold.
create or replace function lockstep.diagnose_settings()
returns table (check_name text, severity text, finding text, advice text, repair_sql text)
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  select
    'server version',
    case when v.number < 140000 then 'bad' when v.number >= 190000 then 'warn' else 'ok' end,
    format('PostgreSQL %s', current_setting('server_version')),
    case
      when v.number < 140000 then 'Lockstep needs PostgreSQL 14 or newer: upgrade the server.'
      when v.number >= 190000 then 'Lockstep is tested on PostgreSQL 14 to 18: look for a newer release of it.'
    end,
    null
  from (select current_setting('server_version_num')::integer as number) v
  union all
  select
    'primary', 'bad', 'this server is a standby, or in recovery: nothing can be written',
    'Let the database URL lead to the primary.', null
  where pg_is_in_recovery()
  union all
  select
    w.name,
    case when s.setting = any (w.good) then 'ok' else w.severity end,
    format('%s is %s', w.name, s.setting) || case when s.setting = any (w.good) then '' else ': ' || w.reason end,
    case when s.setting <> all (w.good) then w.advice end,
    case
      when s.setting = any (w.good) then null
      -- what the server's own file says does not count where the database or the user says otherwise
      when s.source = 'database' then format('alter database %I reset %s;', current_database(), w.name)
      when s.source in ('user', 'database user') then format('alter role %I reset %s;', session_user, w.name)
      else format('alter system set %s = %L; select pg_reload_conf();', w.name, w.good[1])
    end
  from (
    values
      ('fsync', array['on'], 'bad', 'when the machine stops, the whole database may be lost',
        'Switch it on wherever the jobs matter.'),
      ('full_page_writes', array['on'], 'bad', 'when the machine stops, pages may be left half written',
        'Switch it on wherever the jobs matter.'),
      ('synchronous_commit', array['on', 'local', 'remote_write', 'remote_apply'], 'warn',
        'a job whose add was acknowledged may be lost when the server crashes',
        'Switch it on, or accept to lose the last moments before a crash.'),
      ('autovacuum', array['on'], 'bad', 'dead rows pile up, and every claim gets slower',
        'Switch it on: a queue changes each of its rows several times.'),
      ('track_counts', array['on'], 'bad', 'autovacuum does not know where dead rows are',
        'Switch it on: autovacuum works by these counts.'),
      ('default_transaction_read_only', array['off'], 'bad', 'no job can be added or moved',
        'Let the user of the database URL write.'),
      ('default_transaction_isolation', array['read committed'], 'warn', 'statements fail that would otherwise wait a moment',
        'Let read committed be the default; transactions of yours may ask for another level.')
  ) as w (name, good, severity, reason, advice)
  join pg_settings s on s.name = w.name
  -- a choice of this very session says nothing of the others
  where s.source not in ('client', 'session')
  union all
  select
    'connections',
    case when c.used >= 0.95 * c.usable then 'bad' when c.used >= 0.8 * c.usable then 'warn' else 'ok' end,
    format('%s of %s connections are in use', c.used, c.usable)
      || case when c.workers > 0 then format('; %s workers need about %s', c.workers, 6 * c.workers) else '' end,
    case when c.used >= 0.8 * c.usable
      then 'Raise max_connections (it takes a restart), lower the connections of the clients, or put a pooler between.' end,
    case when c.used >= 0.8 * c.usable
      then format('alter system set max_connections = %s;', 2 * current_setting('max_connections')::integer) end
  from (
    select
      (select coalesce(sum(d.numbackends), 0) from pg_stat_database d) as used,
      current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer as usable,
      (select count(*) from lockstep.workers w where w.lost_at is null) as workers
  ) c
  union all
  select
    'statement timeout',
    'warn',
    format('%s%s is set for sessions that do not choose one themselves',
      r.setting, case when r.role = 0 then '' else format(' of user %s', pg_get_userbyid(r.role)) end),
    'The engine chooses its own, except behind a transaction pooler: let it be 10 seconds or more for its user.',
    case when r.role = 0
      then format('alter database %I reset statement_timeout;', current_database())
      else format('alter role %I%s reset statement_timeout;', pg_get_userbyid(r.role),
        case when r.database = 0 then '' else format(' in database %I', current_database()) end)
    end
  from (
    select d.setrole as role, d.setdatabase as database, c.setting
    from pg_db_role_setting d
    cross join unnest(d.setconfig) as c (setting)
    where d.setdatabase in (0, (select b.oid from pg_database b where b.datname = current_database()))
  ) r
  where r.setting ~ '^statement_timeout=[0-9]+(ms)?$'
    and substring(r.setting from '[0-9]+')::bigint between 1 and 9999;
$$;
