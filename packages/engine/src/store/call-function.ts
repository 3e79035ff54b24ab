import type { Statement } from "./database.ts";

/** A SQL function with the names of its arguments, as a statement that is prepared once per connection; all columns unless told. */
export function sqlFunction<const Arguments extends readonly string[]>(
  name: string,
  argumentNames: Arguments,
  columns = "*",
): (...values: { [Index in keyof Arguments]: unknown }) => Statement {
  return statementOf(name, argumentNames, `select ${columns} from`);
}

/**
 * The same for what is done again should a crash of PostgreSQL forget it: its commit does not wait for the disk, and
 * nobody's add waits for it there.
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
  const statementName = `lockstep_${name}_${argumentNames.length}`;
  return (...values) => ({ name: statementName, text, values });
}
