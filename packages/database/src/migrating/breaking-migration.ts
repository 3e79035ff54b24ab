import type { Client } from "pg";
import { brandError } from "../brand-error.ts";
import type { CodeSchema } from "../schema/code-schema.ts";
import type { SqlFile } from "../schema/packaged-sql.ts";
import { migrateCommand } from "../schema/schema-name.ts";
import { breakingReason, migrationVersion } from "../schema/schema-version.ts";
import { MigrateError } from "./migrate-error.ts";

/** A migration that older code cannot work with, and why. */
export interface BreakingMigration {
  readonly name: string;
  readonly reason: string;
}

/** Workers are running, and a migration would leave those of an older release unable to go on. */
export class BreakingMigrationError extends MigrateError {
  static {
    brandError(BreakingMigrationError, "BreakingMigrationError");
  }

  override readonly name = "BreakingMigrationError";

  constructor(schema: string, breaking: readonly BreakingMigration[], workers: readonly string[]) {
    const [last] = breaking.slice(-1);
    const reasons = breaking.map(({ name, reason }) => `${name} (${reason})`).join(", ");
    super(
      `Code from before version ${migrationVersion(last?.name ?? "")} cannot use the schema after ${reasons}, and ${workers.length} ` +
        `worker(s) are running: ${workers.join(", ")}. Stop every process of the older release first, or say that it may break them: ` +
        `\`${migrateCommand(schema)} --allow-breaking\`, or \`allowBreaking: true\`. Nothing was changed.`,
    );
  }
}

export function breakingOf(migrations: readonly SqlFile[]): BreakingMigration[] {
  return migrations.flatMap((migration) => {
    const reason = breakingReason(migration);
    return reason === null ? [] : [{ name: migration.name, reason }];
  });
}

/** Refuses migrations that break older code while workers are running. A new schema has none. */
export async function refuseBreaking(
  client: Client,
  code: CodeSchema,
  pending: readonly SqlFile[],
  version: number,
): Promise<void> {
  const breaking = breakingOf(pending);
  if (version === 0 || breaking.length === 0) return;
  const { rows } = await client.query<{ name: string }>(
    code.inSchema("select name from lockstep.active_workers() where alive order by name"),
  );
  if (rows.length > 0)
    throw new BreakingMigrationError(
      code.name,
      breaking,
      rows.map(({ name }) => name),
    );
}
