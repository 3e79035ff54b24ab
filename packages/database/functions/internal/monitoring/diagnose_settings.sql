-- Whether the settings of the server let the queue keep its promises.
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
      when v.number >= 190000 then 'Lockstep is tested on PostgreSQL 14 to 18: look for a newer release of Lockstep.'
    end,
    null
  from (select current_setting('server_version_num')::integer as number) v
  union all
  select
    'primary', 'bad', 'this server is a standby or in recovery: nothing can be written',
    'Use the database URL of the primary.', null
  where pg_is_in_recovery()
  union all
  select
    w.name,
    case when s.setting = any (w.good) then 'ok' else w.severity end,
    format('%s is %s', w.name, s.setting) || case when s.setting = any (w.good) then '' else ': ' || w.reason end,
    case when s.setting <> all (w.good) then w.advice end,
    case
      when s.setting = any (w.good) then null
      -- a setting of the database or of the user overrides the server's configuration file
      when s.source = 'database' then format('alter database %I reset %s;', current_database(), w.name)
      when s.source = 'user' then format('alter role %I reset %s;', session_user, w.name)
      when s.source = 'database user'
        then format('alter role %I in database %I reset %s;', session_user, current_database(), w.name)
      else format('alter system set %s = %L; select pg_reload_conf();', w.name, w.good[1])
    end
  from (
    values
      ('fsync', array['on'], 'bad', 'if the machine stops, the whole database may be lost',
        'Switch it on wherever the jobs matter.'),
      ('full_page_writes', array['on'], 'bad', 'if the machine stops, pages may be left half written',
        'Switch it on wherever the jobs matter.'),
      ('synchronous_commit', array['on', 'local', 'remote_write', 'remote_apply'], 'warn',
        'a job whose add was acknowledged may be lost if the server crashes',
        'Switch it on, unless you can accept the loss of the last moments before a crash.'),
      ('autovacuum', array['on'], 'bad', 'dead rows pile up, and every claim gets slower',
        'Switch it on: a queue changes each of its rows several times.'),
      ('track_counts', array['on'], 'bad', 'autovacuum does not know where dead rows are',
        'Switch it on: autovacuum needs these counts.'),
      ('default_transaction_read_only', array['off'], 'bad', 'no job can be added or moved',
        'Switch it off for the user of the database URL.'),
      ('default_transaction_isolation', array['read committed'], 'warn', 'statements fail that would otherwise wait a moment',
        'Make read committed the default; your own transactions can set another level.')
  ) as w (name, good, severity, reason, advice)
  join pg_settings s on s.name = w.name
  -- a setting of this session alone says nothing about others
  where s.source not in ('client', 'session')
  union all
  select
    'jit',
    case when j.is_on and f.count > 0 then 'bad' else 'ok' end,
    case
      when not j.is_on then 'the server does not compile plans (JIT is off)'
      when f.count = 0
        then 'jit is on, but the functions of Lockstep switch it off for themselves, so only your own statements are compiled'
      else format('jit is on, and %s functions of Lockstep do not switch it off (%s): stages with limits or groups start only a few jobs a second',
        f.count, f.some)
    end,
    case when j.is_on and f.count > 0 then 'Switch it off for them: the plans that Lockstep forces look expensive, so PostgreSQL would compile them at every call.' end,
    case when j.is_on then f.repair_sql end
  from (
    -- This function runs with jit off, and pg_jit_available answers for the current setting: so it is asked under the session's setting.
    select case when set_config('jit', s.reset_val, true) is not null then pg_jit_available() end as is_on
    from pg_settings s
    where s.name = 'jit'
  ) j
  cross join (
    select
      count(*) as count,
      (array_agg(p.proname::text order by p.proname))[1] || case when count(*) > 1 then ' and others' else '' end as some,
      string_agg(format('alter function %s set jit = off;', p.oid::regprocedure), ' ' order by p.proname) as repair_sql
    from pg_proc p
    where p.pronamespace = 'lockstep'::regnamespace and p.proconfig is not null and not 'jit=off' = any (p.proconfig)
  ) f
  union all
  select
    'connections',
    case when c.used >= 0.95 * c.usable then 'bad' when c.used >= 0.8 * c.usable then 'warn' else 'ok' end,
    format('%s of %s connections are in use', c.used, c.usable)
      || case when c.workers > 0 then format('; %s workers need about %s', c.workers, 6 * c.workers) else '' end,
    case when c.used >= 0.8 * c.usable
      then 'Raise max_connections (this needs a restart), reduce the connections of the clients, or use a pooler.' end,
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
    format('%s%s is set for sessions that do not set their own',
      r.setting, case when r.role = 0 then '' else format(' of user %s', pg_get_userbyid(r.role)) end),
    'The engine sets its own, except behind a transaction pooler: set 10 seconds or more for its user.',
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
  -- stored as it was written, such as 5000, 5s or '0.1 min'
  cross join regexp_match(r.setting, '^statement_timeout=\s*([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*(us|ms|s|min|h|d)?\s*$') as t (parts)
  join (
    values ('us', 0.001), ('ms', 1), ('s', 1000), ('min', 60000), ('h', 3600000), ('d', 86400000)
  ) as u (unit, ms) on u.unit = coalesce(t.parts[2], 'ms')
  where t.parts[1]::numeric * u.ms > 0 and t.parts[1]::numeric * u.ms < 10000;
$$;
