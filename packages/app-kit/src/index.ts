export { AppDatabase, type AppDatabaseOptions } from "./app-database.ts";
export { type Environment, environmentError, wholeNumber } from "./environment.ts";
export { isFromThisMachine } from "./is-from-this-machine.ts";
