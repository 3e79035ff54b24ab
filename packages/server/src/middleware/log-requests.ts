import type { MiddlewareHandler } from "hono";
import type { Clock, Logger } from "lockstep";
import type { ServerEnv } from "../server-env.ts";

const longestPath = 300;

/** One line per request, without its query, where a token may stand, and without its body. */
export function logRequests(logger: Logger | null, clock: Clock): MiddlewareHandler<ServerEnv> {
  return async (c, next) => {
    if (logger === null) return await next();
    const beganAtMs = clock.monotonicMs();
    await next();
    const { method } = c.req;
    const { status } = c.res;
    const path = c.req.path.slice(0, longestPath);
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
