import type { MigrationPlan } from "lockstep";

/** Whether there is nothing to do. A newer schema that this command could not use would have been refused before. */
export function isMigrated({ version, codeVersion, migrations, functions }: MigrationPlan): boolean {
  return version >= codeVersion && migrations.length === 0 && !functions;
}
