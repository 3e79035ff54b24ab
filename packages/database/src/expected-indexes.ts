import { readSqlFiles } from "./sql-files.ts";

export interface ExpectedIndex {
  readonly name: string;
  /** The statement that makes it. */
  readonly sql: string;
}

/** The indexes that the migrations create by name of their own, with what makes each of them again. */
export async function expectedIndexes(): Promise<ExpectedIndex[]> {
  const migrations = await readSqlFiles("migrations");
  const indexes = new Map<string, ExpectedIndex>();
  for (const statement of migrations.flatMap(({ text }) => statementsOf(text))) {
    const [, dropped] = /^drop index (?:if exists )?lockstep\.(\w+)/i.exec(statement) ?? [];
    if (dropped !== undefined) indexes.delete(dropped);
    const [, name, table = "", columns = ""] =
      /^create (?:unique )?index (?:concurrently )?(?:(\w+) )?on lockstep\.(\w+)(?: using \w+)? \(([\w, ]*)/i.exec(
        statement,
      ) ?? [];
    if (table === "") continue;
    const index = { name: name ?? givenName(table, columns), sql: `${statement};` };
    indexes.set(index.name, index);
  }
  return [...indexes.values()];
}

/** What PostgreSQL calls an index that was not named. */
function givenName(table: string, columns: string): string {
  return [table, ...columns.split(",").map((column) => column.trim()), "idx"].join("_");
}

function statementsOf(sql: string): string[] {
  return sql
    .replace(/--[^\n]*/g, "")
    .split(";")
    .map((statement) => statement.replace(/\s+/g, " ").trim());
}
