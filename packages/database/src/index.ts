export { brandError } from "./brand-error.ts";
export type {
  ConnectionConfig,
  ConnectionHost,
  ConnectionOptions,
  ConnectionTls,
  PasswordFunction,
  PasswordRequest,
  PgPool,
  TargetSessionAttrs,
} from "./connecting/connection-options.ts";
export { measureServer, type ServerTimes } from "./measure-server.ts";
export { type BreakingMigration, BreakingMigrationError } from "./migrating/breaking-migration.ts";
export { createRoles } from "./migrating/create-roles.ts";
export { MigrationBlockedError } from "./migrating/lock-patience.ts";
export {
  type Migrated,
  type MigrateLimits,
  type MigrateOptions,
  MigrationForbiddenError,
  migrate,
} from "./migrating/migrate.ts";
export { MigrateError } from "./migrating/migrate-error.ts";
export { type MigrationPlan, migrationScript, planMigration } from "./migrating/migration-plan.ts";
export { OtherMigrationsError } from "./migrating/other-migrations.ts";
export { removeBench } from "./migrating/remove-bench.ts";
export { type ExpectedIndex, expectedIndexes } from "./schema/expected-indexes.ts";
export { inSchema } from "./schema/in-schema.ts";
export { checkedSchema, defaultSchema, migrateCommand, schemaNameComplaint } from "./schema/schema-name.ts";
export type { SchemaOptions } from "./schema/schema-options.ts";
export {
  codeSchemaVersion,
  oldestUsableSchema,
  refuseTooNew,
  SchemaTooNewError,
} from "./schema/schema-version.ts";
