/** A local PostgreSQL could not be started; the message says why and what to do. */
export class LocalPostgresError extends Error {
  override readonly name = "LocalPostgresError";
}
