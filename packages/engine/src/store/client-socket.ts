import type pg from "pg";

/** The driver's socket; it offers no other way to end a connection that does not answer. */
export function clientSocket(client: pg.ClientBase): { destroy(): void } | undefined {
  return (client as unknown as { connection?: { stream?: { destroy(): void } } }).connection?.stream;
}
