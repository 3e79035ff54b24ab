import type { TestDatabase } from "@lockstep/test-support";

const listTables = `
  select format('%I.%I', n.nspname, c.relname) as name
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  where c.relkind = 'r' and n.nspname = any ($1)
  order by 1`;

/** Every row of every table of these schemas, as text by table: what nobody may have changed is the same afterwards. */
export async function allRows(
  db: Pick<TestDatabase, "query">,
  schemas: readonly string[],
): Promise<Record<string, string>> {
  const rows: Record<string, string> = {};
  for (const { name } of await db.query<{ name: string }>(listTables, [schemas])) {
    const [all] = await db.query<{ rows: string | null }>(
      `select string_agg(t::text, e'\\n' order by t::text) as rows from ${name} t`,
    );
    if (all?.rows) rows[name] = all.rows;
  }
  return rows;
}
