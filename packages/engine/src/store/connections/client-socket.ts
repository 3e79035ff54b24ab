import type { ClientBase } from "pg";
import type { SocketFacts } from "./connection-encryption.ts";

type ClientSocket = SocketFacts & { destroy(): void };

/** The driver's socket; it offers no other way to end a connection that does not answer, or to look at it. */
export function clientSocket(client: ClientBase): ClientSocket | undefined {
  return (client as unknown as { connection?: { stream?: ClientSocket } }).connection?.stream;
}
