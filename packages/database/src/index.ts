export { brandError } from "./brand-error.ts";
export { type BreakingMigration, BreakingMigrationError } from "./breaking-migration.ts";
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
export { createRoles } from "./create-roles.ts";
export { type ExpectedIndex, expectedIndexes } from "./expected-indexes.ts";
export { inSchema } from "./in-schema.ts";
export { MigrationBlockedError } from "./lock-patience.ts";
export { measureServer, type ServerTimes } from "./measure-server.ts";
export {
  type Migrated,
  type MigrateLimits,
  type MigrateOptions,
  MigrationForbiddenError,
  migrate,
} from "./migrate.ts";
export { MigrateError } from "./migrate-error.ts";
export { type MigrationPlan, migrationScript, planMigration } from "./migration-plan.ts";
export { OtherMigrationsError } from "./other-migrations.ts";
export { removeBench } from "./remove-bench.ts";
export { checkedSchema, defaultSchema, migrateCommand, schemaNameComplaint } from "./schema-name.ts";
export type { SchemaOptions } from "./schema-options.ts";
export { codeSchemaVersion, oldestUsableSchema, refuseTooNew, SchemaTooNewError } from "./schema-version.ts";
