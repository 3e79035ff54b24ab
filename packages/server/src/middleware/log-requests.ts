import type { MiddlewareHandler } from "hono";
import type { Clock, Logger } from "lockstep";
import type { ServerEnv } from "../server-env.ts";
import { loggedPath } from "./logged-path.ts";

/** One line per request, without its query and the end of a link, where a token may stand, and without its body. */
export function logRequests(logger: Logger | null, clock: Clock): MiddlewareHandler<ServerEnv> {
  return async (c, next) => {
    if (logger === null) return await next();
    const beganAtMs = clock.monotonicMs();
    await next();
    const { method } = c.req;
    const { status } = c.res;
    const path = loggedPath(c.req.path);
    const line = {
      event: "http.request",
      method,
      path,
      status,
      durationMs: Math.round(clock.monotonicMs() - beganAtMs),
      user: c.get("caller")?.user ?? null,
      requestId: c.get("requestId"),
    };
    logger[levelOf(status, path)](line, `${method} ${path} ${status}`);
  };
}

function levelOf(status: number, path: string): "debug" | "info" | "warn" {
  if (status >= 500) return "warn";
  // Asked every few seconds by machines.
  return /\/(health|health\/live|metrics)$/.test(path) ? "debug" : "info";
}
