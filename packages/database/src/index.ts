export { createRoles } from "./create-roles.ts";
export { type ExpectedIndex, expectedIndexes } from "./expected-indexes.ts";
export { measureServer, type ServerTimes } from "./measure-server.ts";
export { type Migrated, type MigrateOptions, migrate } from "./migrate.ts";
export { type MigrationPlan, migrationScript, planMigration } from "./migration-plan.ts";
export { removeBench } from "./remove-bench.ts";
export { codeSchemaVersion, SchemaTooNewError } from "./schema-version.ts";
