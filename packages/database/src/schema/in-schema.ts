import { checkedSchema, defaultSchema } from "./schema-name.ts";

// In our SQL, "lockstep" in small letters is always the schema's name, in one of these places. A test refuses any other.
const asIdentifier = /(?<![\w.@/-])lockstep(?=\.[a-z_%])|(?<=\bschema )lockstep\b/;
const asText =
  /(?<=')lockstep(?=')|(?<![\w.@/-])lockstep(?=_(?:(?:viewer|producer|operator|worker)\b|cancel_|'))/;
// In one pass: in a second, a schema named lockstep_worker would be taken for a role.
const asEither = new RegExp(`(${asIdentifier.source})|${asText.source}`, "g");

/**
 * SQL that was written for the schema `lockstep`, for a schema of another name: tables, functions and types, roles, channels and
 * advisory locks. Quoted where it is an identifier, since it may be a word of SQL or PL/pgSQL.
 */
export function inSchema(sql: string, schema: string): string {
  if (schema === defaultSchema) return sql;
  const name = checkedSchema(schema);
  return sql.replace(asEither, (_found, identifier) => (identifier === undefined ? name : `"${name}"`));
}
