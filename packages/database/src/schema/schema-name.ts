import { MigrateError } from "../migrating/migrate-error.ts";

/** The schema's name unless another is chosen. */
export const defaultSchema = "lockstep";

// Roles and channels begin with it, and PostgreSQL cuts names after 63 bytes. The longest is NAME_cancel_ and the 32 digits of a worker's id.
const longestName = 23;
const plainName = new RegExp(`^[a-z_][a-z0-9_]{0,${longestName - 1}}$`);
// With the id of a worker behind it, such a name would be a channel of the installation whose name is the part before.
const channelName = /_(?:cancel|ping)$/;
const takenNames = ["public", "information_schema"];

/** What is wrong with a name for the schema, to follow what is being named ("schema must be …"); null if nothing is. */
export function schemaNameComplaint(name: unknown): string | null {
  if (typeof name !== "string" || !plainName.test(name)) {
    return `must be a name of 1 to ${longestName} small letters, digits and underscores that does not begin with a digit, such as "jobs"`;
  }
  if (name.startsWith("pg_") || takenNames.includes(name)) {
    return `must not be "${name}", which is for other things: Lockstep needs a schema of its own, such as "jobs"`;
  }
  return channelName.test(name) ? `must not end in "_cancel" or "_ping", as channels of Lockstep do` : null;
}

/** The name, or the default one; throws if it cannot be used. */
export function checkedSchema(name: string = defaultSchema): string {
  const complaint = schemaNameComplaint(name);
  if (complaint !== null) throw new MigrateError(`schema ${complaint}.`);
  return name;
}

/** How to migrate a schema of this name on the command line, for sentences that say what to do. */
export function migrateCommand(schema: string): string {
  return schema === defaultSchema ? "lockstep migrate" : `lockstep migrate --schema ${schema}`;
}

/** The roles of an installation, which carry its schema's name: another installation on the same server has its own. */
export function rolesOf(schema: string): string[] {
  return ["viewer", "producer", "operator", "worker"].map((role) => `${schema}_${role}`);
}
