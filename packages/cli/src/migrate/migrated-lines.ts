import type { Migrated } from "lockstep";

/** What a migrate has done, for people. */
export function migratedLines(migrated: Migrated): string[] {
  const { migrations, functions, version, missingRoles, adminSql } = migrated;
  const done = functions
    ? ", functions and grants applied."
    : migrations.length > 0
      ? "; functions and grants are as they were."
      : ": there was nothing to do.";
  return [
    ...migrations.map((name) => `ran ${name}`),
    `Schema version ${version}${done}`,
    ...(adminSql.length === 0 ? [] : [whoRunsIt(missingRoles), ...adminSql]),
  ];
}

function whoRunsIt(missingRoles: readonly string[]): string {
  const until = "Until then only the user who migrates may use the queue.";
  return missingRoles.length === 0
    ? `This user may not let the roles use the schema. Its owner has to run this. ${until}`
    : `This server has no role ${missingRoles.join(", ")}, and this user may not create roles. A superuser has to run this, and then migrate has to run once more. ${until}`;
}
