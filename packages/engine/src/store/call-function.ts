import type { Statement } from "./database.ts";

/** A SQL function with the names of its arguments, as a statement that is prepared once per connection; all columns unless told. */
export function sqlFunction<const Arguments extends readonly string[]>(
  name: string,
  argumentNames: Arguments,
  columns = "*",
): (...values: { [Index in keyof Arguments]: unknown }) => Statement {
  const placeholders = argumentNames.map((argument, index) => `${argument} => $${index + 1}`);
  const text = `select ${columns} from lockstep.${name}(${placeholders.join(", ")})`;
  const statementName = `lockstep_${name}_${argumentNames.length}`;
  return (...values) => ({ name: statementName, text, values });
}
