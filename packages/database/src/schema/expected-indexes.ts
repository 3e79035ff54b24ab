import { readCodeSchema } from "./code-schema.ts";

export interface ExpectedIndex {
  readonly name: string;
  /** The statement that creates it. */
  readonly sql: string;
}

/** The indexes that the migrations create, each with the statement that creates it again in a schema of this name. */
export async function expectedIndexes(schema?: string): Promise<ExpectedIndex[]> {
  const { migrations, inSchema } = await readCodeSchema(schema);
  const indexes = new Map<string, ExpectedIndex>();
  for (const statement of migrations.flatMap(({ text }) => statementsOf(text))) {
    const [, dropped] = /^drop index (?:if exists )?lockstep\.(\w+)/i.exec(statement) ?? [];
    if (dropped !== undefined) indexes.delete(dropped);
    const [, name, table = "", columns = ""] =
      /^create (?:unique )?index (?:concurrently )?(?:(\w+) )?on lockstep\.(\w+)(?: using \w+)? \(([\w, ]*)/i.exec(
        statement,
      ) ?? [];
    if (table === "") continue;
    const index = { name: name ?? givenName(table, columns), sql: inSchema(`${statement};`) };
    indexes.set(index.name, index);
  }
  return [...indexes.values()];
}

/** The name that PostgreSQL gives to an index without a name. */
function givenName(table: string, columns: string): string {
  return [table, ...columns.split(",").map((column) => column.trim()), "idx"].join("_");
}

function statementsOf(sql: string): string[] {
  return sql
    .replace(/--[^\n]*/g, "")
    .split(";")
    .map((statement) => statement.replace(/\s+/g, " ").trim());
}
