import type { IncomingMessage, ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import type { Server } from "./server.ts";

/**
 * For hosts that speak Node's own requests, such as Express and Fastify. It reads the body itself: mount it before
 * anything that parses bodies.
 */
export function nodeHandler(
  server: Pick<Server, "fetch">,
): (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void> {
  return getRequestListener(server.fetch, { overrideGlobalObjects: false });
}
