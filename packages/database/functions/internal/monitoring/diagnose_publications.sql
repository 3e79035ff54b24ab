-- Whether a publication stops the queue, or a future one would: PostgreSQL refuses to update or delete rows that it cannot identify for a
-- subscriber.
create or replace function lockstep.diagnose_publications()
returns table (check_name text, severity text, finding text, advice text, repair_sql text)
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  return query
    select 'publications',
      case when p.names is null then 'warn' else 'bad' end,
      format('the table lockstep.%I has neither a primary key nor a replica identity: ', c.relname) || coalesce(
        format('PostgreSQL refuses to change its rows, since publication %s covers it', p.names),
        'a publication for all tables would stop the queue'
      ),
      'Identify its rows by all columns; this costs nothing unless wal_level is logical.',
      format('alter table lockstep.%I replica identity full;', c.relname)
    from pg_class c
    cross join lateral (
      select string_agg(distinct t.pubname::text, ', ' order by t.pubname::text) as names
      from pg_publication_tables t
      join pg_publication b on b.pubname = t.pubname and (b.pubupdate or b.pubdelete)
      where t.schemaname = 'lockstep'
        and (
          t.tablename = c.relname
          or t.tablename in (
            select o.relname from pg_partition_ancestors(c.oid) as a (relid) join pg_class o on o.oid = a.relid
          )
        )
    ) p
    where c.relnamespace = 'lockstep'::regnamespace
      and c.relkind = 'r'
      and c.relreplident <> 'f'
      and not exists (
        select from pg_index i
        where i.indrelid = c.oid and (c.relreplident = 'd' and i.indisprimary or c.relreplident = 'i' and i.indisreplident)
      )
    order by 2, 3
    limit 5;
  if not found then
    return query select 'publications', 'ok', 'a publication may cover every table', null, null;
  end if;
end;
$$;
