export { type GivenOrOwnPostgres, givenOrOwnPostgres } from "./given-or-own-postgres.ts";
export { onToldToStop } from "./on-told-to-stop.ts";
