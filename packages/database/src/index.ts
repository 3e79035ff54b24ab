export { createRoles } from "./create-roles.ts";
export { migrate, type Migrated, type MigrateOptions } from "./migrate.ts";
export { codeSchemaVersion, SchemaTooNewError } from "./schema-version.ts";
