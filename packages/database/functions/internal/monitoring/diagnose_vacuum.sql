-- Whether vacuum removes dead rows, what prevents it if not, and whether the indexes are valid.
create or replace function lockstep.diagnose_vacuum(
  p_dead_rows bigint default 50000,
  p_index_bytes bigint default 67108864,
  p_now timestamptz default clock_timestamp()
)
returns table (check_name text, severity text, finding text, advice text, repair_sql text)
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  return query
    select 'autovacuum of tables', 'bad', format('autovacuum is switched off for lockstep.%I', c.relname),
      'Switch it on: a queue changes each of its rows several times.',
      format('alter table lockstep.%I reset (autovacuum_enabled);', c.relname)
    from pg_class c
    where c.relnamespace = 'lockstep'::regnamespace
      and c.relkind = 'r'
      and exists (
        select from unnest(c.reloptions) as o (setting)
        where o.setting in ('autovacuum_enabled=false', 'autovacuum_enabled=off')
      );
  if not found then
    return query select 'autovacuum of tables', 'ok', 'autovacuum may clean every table', null, null;
  end if;

  return query
    select 'dead rows', 'warn',
      format('lockstep.%I has %s dead rows beside %s live ones%s', t.relname, t.n_dead_tup, t.n_live_tup,
        coalesce(format(', last vacuumed at %s', greatest(t.last_vacuum, t.last_autovacuum)), ', and was never vacuumed')),
      'First end what holds back vacuum (xmin horizon), then vacuum once by hand.',
      format('vacuum (analyze) lockstep.%I;', t.relname)
    from pg_stat_user_tables t
    where t.schemaname = 'lockstep' and t.n_dead_tup >= p_dead_rows and t.n_dead_tup > t.n_live_tup
    order by t.n_dead_tup desc
    limit 5;
  if not found then
    return query select 'dead rows', 'ok', 'no table has more dead rows than live ones', null, null;
  end if;

  return query
    select 'index size', 'warn',
      format('lockstep.%I takes %s for about %s entries', i.relname, pg_size_pretty(i.bytes), greatest(i.reltuples, 0)::bigint),
      'It has grown during a backlog and does not shrink by itself: rebuild it concurrently.',
      format('reindex index concurrently lockstep.%I;', i.relname)
    from (
      select c.relname, c.reltuples, pg_relation_size(c.oid) as bytes
      from pg_class c
      where c.relnamespace = 'lockstep'::regnamespace and c.relkind = 'i'
    ) i
    where i.bytes >= p_index_bytes and i.bytes > 400 * greatest(i.reltuples, 0)
    order by i.bytes desc
    limit 5;
  if not found then
    return query select 'index size', 'ok', 'no index is much larger than its entries', null, null;
  end if;

  return query
    select 'invalid indexes', 'bad', format('index lockstep.%I is not valid: it slows down writes and is not used by reads', c.relname),
      case
        when c.relkind = 'I' then 'One of its partitions has no such index: create it there, and attach it.'
        -- PostgreSQL's names for the new index of a concurrent rebuild that failed, and for the old index that it could not drop
        when c.relname ~ '_cc(new|old)[0-9]*$' then 'It is left over from a concurrent rebuild that did not end; the index itself exists: drop this one.'
        else 'Rebuild it concurrently.'
      end,
      case
        when c.relkind = 'I' then null
        when c.relname ~ '_cc(new|old)[0-9]*$' then format('drop index concurrently lockstep.%I;', c.relname)
        else format('reindex index concurrently lockstep.%I;', c.relname)
      end
    from pg_index i
    join pg_class c on c.oid = i.indexrelid
    where c.relnamespace = 'lockstep'::regnamespace and not (i.indisvalid and i.indisready);
  if not found then
    return query select 'invalid indexes', 'ok', 'every index is valid', null, null;
  end if;

  return query select * from lockstep.diagnose_horizon(p_now);

  return query
    select 'wraparound',
      case when w.age > 1200000000 then 'bad' when w.age > 1.5 * w.freeze_at then 'warn' else 'ok' end,
      format('the oldest transaction id of this database is %s transactions old', w.age),
      case when w.age > 1.5 * w.freeze_at
        then 'Autovacuum does not keep up with freezing: end what holds it back, and vacuum. At two billion, PostgreSQL stops accepting writes.' end,
      case when w.age > 1.5 * w.freeze_at then 'vacuum (freeze);' end
    from (
      select age(d.datfrozenxid)::bigint as age, current_setting('autovacuum_freeze_max_age')::bigint as freeze_at
      from pg_database d
      where d.datname = current_database()
    ) w;
end;
$$;
