/** Why a table and its columns are there, from the comments in the migrations. */
export interface Reasons {
  readonly table: string;
  readonly columns: ReadonlyMap<string, string>;
}

/** The comments of each table, by its name. */
export function readReasons(migrations: string): Map<string, Reasons> {
  const reasons = new Map<string, Reasons>();
  const lines = migrations.split("\n");
  for (const [index, line] of lines.entries()) {
    const [, name] = /^create (?:unlogged )?table (?:if not exists )?lockstep\.(\w+) \(/.exec(line) ?? [];
    if (name !== undefined)
      reasons.set(name, { table: above(lines, index), columns: columnsAfter(lines, index) });
  }
  return reasons;
}

const commentOf = (line = "") => /^\s*-- (.*)$/.exec(line)?.[1];

/** The comment that ends in the line before this one. */
function above(lines: readonly string[], index: number): string {
  const found: string[] = [];
  for (let at = index - 1; commentOf(lines[at]) !== undefined; at -= 1)
    found.unshift(commentOf(lines[at]) ?? "");
  return found.join(" ");
}

function columnsAfter(lines: readonly string[], index: number): Map<string, string> {
  const columns = new Map<string, string>();
  for (let at = index + 1; at < lines.length && !/^\)/.test(lines[at] ?? ""); at += 1) {
    const [, name = "", beside] = /^ {2}"?(\w+)"? .*?(?:\s-- (.*))?$/.exec(lines[at] ?? "") ?? [];
    if (name === "constraint") break;
    const reason = beside ?? above(lines, at);
    if (name !== "" && reason !== "" && commentOf(lines[at]) === undefined) columns.set(name, reason);
  }
  return columns;
}
