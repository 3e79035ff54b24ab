export { LocalPostgresError } from "./local-postgres-error.ts";
export type { LocalPostgres, LocalPostgresOptions } from "./start-postgres.ts";
export { startPostgres } from "./start-postgres.ts";
