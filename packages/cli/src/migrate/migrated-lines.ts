import type { Migrated } from "lockstep";

/** What a migrate has done, for people. */
export function migratedLines({ migrations, functions, version, missingRoles }: Migrated): string[] {
  const done = functions
    ? ", functions and grants applied."
    : migrations.length > 0
      ? "; functions and grants are as they were."
      : ": there was nothing to do.";
  return [
    ...migrations.map((name) => `ran ${name}`),
    `Schema version ${version}${done}`,
    ...(missingRoles.length === 0
      ? []
      : [
          `This server has no role ${missingRoles.join(", ")}, and this user may not create roles: a superuser has to run migrate once. ` +
            "Until then only the owner of the schema may use the queue.",
        ]),
  ];
}
