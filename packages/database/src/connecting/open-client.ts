import pg, { type Client } from "pg";
import type { ConnectionTarget } from "./connection-target.ts";
import { Connector, isStartupRefusal } from "./connector.js";

// What a role or a database has set for others must not end a migration, or make it fail.
const unhurried = {
  statement_timeout: "0",
  lock_timeout: "0",
  idle_in_transaction_session_timeout: "0",
  idle_session_timeout: "0",
  default_transaction_isolation: "read committed",
  DateStyle: "ISO, MDY",
};

/**
 * A connection for a while, to the first host that can be used. Its session has none of the role's time limits. A pooler that
 * refuses such settings gets a connection without them.
 */
export async function openClient(
  target: ConnectionTarget,
  config: { readonly application_name: string; readonly query_timeout?: number },
): Promise<Client> {
  const open = (startup: Record<string, string>, isPooled: boolean) =>
    new Connector({ Client: pg.Client, target, password: target.password, startup, isPooled }).open({
      connectionTimeoutMillis: 10_000,
      ...config,
    });
  try {
    return await open(unhurried, false);
  } catch (error) {
    if (!isStartupRefusal(error)) throw error;
    return await open({}, true);
  }
}
