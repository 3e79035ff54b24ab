/** Sends a query to the database that the page is about. */
export type Ask = <Row>(text: string) => Promise<Row[]>;

export interface Table {
  readonly name: string;
  readonly isUnlogged: boolean;
  /** As in "partition by list (status)"; null for a plain table. */
  readonly partitionedBy: string | null;
  /** The table that it is a partition of, whose columns and indexes it has. */
  readonly partOf: string | null;
  readonly settings: readonly string[];
  readonly identifiedByAll: boolean;
  readonly columns: readonly Column[];
  readonly checks: readonly string[];
  readonly indexes: readonly string[];
}

export interface Column {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly default: string | null;
}

export interface Catalogue {
  readonly tables: readonly Table[];
  readonly others: readonly { readonly kind: string; readonly name: string; readonly text: string }[];
}

// The tables of single days depend on the date, and the page must not.
const ours = "c.relnamespace = 'lockstep'::regnamespace and c.relname !~ '_[0-9]{8}'";

export async function readCatalogue(ask: Ask): Promise<Catalogue> {
  const tables = await ask<Table>(`
    select c.relname as name,
      c.relpersistence = 'u' as "isUnlogged",
      pg_get_partkeydef(c.oid) as "partitionedBy",
      (select p.relname from pg_inherits i join pg_class p on p.oid = i.inhparent where i.inhrelid = c.oid) as "partOf",
      array(select o from unnest(c.reloptions) o order by o) as settings,
      c.relreplident = 'f' as "identifiedByAll",
      (
        select coalesce(json_agg(json_build_object(
          'name', a.attname, 'type', format_type(a.atttypid, a.atttypmod), 'isRequired', a.attnotnull,
          'default', case
            when a.attidentity <> '' then 'identity'
            when a.attgenerated <> '' then 'generated: ' || pg_get_expr(d.adbin, d.adrelid)
            else pg_get_expr(d.adbin, d.adrelid) end
        ) order by a.attnum), '[]')
        from pg_attribute a
        left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      ) as columns,
      array(
        select k.conname || ': ' || regexp_replace(pg_get_constraintdef(k.oid), '\\s+', ' ', 'g')
        from pg_constraint k
        where k.conrelid = c.oid and k.contype in ('c', 'f')
        order by k.conname
      ) as checks,
      array(
        select regexp_replace(pg_get_indexdef(i.indexrelid), '^CREATE (UNIQUE )?INDEX (\\S+) ON .*? USING btree ', '\\2: \\1')
        from pg_index i
        join pg_class x on x.oid = i.indexrelid
        where i.indrelid = c.oid
        order by x.relname
      ) as indexes
    from pg_class c
    where ${ours} and c.relkind in ('r', 'p')
    order by c.relname`);
  const others = await ask<Catalogue["others"][number]>(`
    select 'sequence' as kind, c.relname as name, '' as text from pg_class c where ${ours} and c.relkind = 'S'
    union all
    select 'view', c.relname, '' from pg_class c where ${ours} and c.relkind = 'v'
    union all
    select 'trigger', t.tgname, pg_get_triggerdef(t.oid)
    from pg_trigger t join pg_class c on c.oid = t.tgrelid where ${ours} and not t.tgisinternal
    union all
    select 'enum', t.typname, (select string_agg(e.enumlabel, ', ' order by e.enumsortorder) from pg_enum e where e.enumtypid = t.oid)
    from pg_type t where t.typnamespace = 'lockstep'::regnamespace and t.typtype = 'e'
    union all
    select 'row type', c.relname,
      (select string_agg(a.attname, ', ' order by a.attnum) from pg_attribute a where a.attrelid = c.oid and a.attnum > 0)
    from pg_class c where ${ours} and c.relkind = 'c'
    order by 1, 2`);
  return { tables, others };
}
