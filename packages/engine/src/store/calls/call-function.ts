import { createHash } from "node:crypto";
import type { Statement } from "../connections/database.ts";

/** A call of a SQL function by the names of its arguments, prepared once per connection; it returns all columns unless told. */
export function sqlFunction<const Arguments extends readonly string[]>(
  name: string,
  argumentNames: Arguments,
  columns = "*",
): (...values: { [Index in keyof Arguments]: unknown }) => Statement {
  return statementOf(name, argumentNames, `select ${columns} from`);
}

/**
 * The same for work that is repeated if a crash of PostgreSQL loses it: its commit does not wait for the disk, so that no
 * add has to wait for it there.
 */
export function sqlUpkeep<const Arguments extends readonly string[]>(
  name: string,
  argumentNames: Arguments,
): (...values: { [Index in keyof Arguments]: unknown }) => Statement {
  return statementOf(
    name,
    argumentNames,
    "select upkeep.* from set_config('synchronous_commit', 'off', true),",
    " as upkeep",
  );
}

function statementOf<const Arguments extends readonly string[]>(
  name: string,
  argumentNames: Arguments,
  before: string,
  after = "",
): (...values: { [Index in keyof Arguments]: unknown }) => Statement {
  const placeholders = argumentNames.map((argument, index) => `${argument} => $${index + 1}`);
  const text = `${before} lockstep.${name}(${placeholders.join(", ")})${after}`;
  let statementName: string | undefined;
  return (...values) => {
    statementName ??= nameOf(name, text);
    return { name: statementName, text, values };
  };
}

/** A connection knows a statement by its name alone, so another text needs another name. Made when it is first used: most are not. */
function nameOf(name: string, text: string): string {
  const digest = createHash("sha256").update(text).digest("hex").slice(0, 8);
  return `lockstep_${name}_${digest}`;
}
