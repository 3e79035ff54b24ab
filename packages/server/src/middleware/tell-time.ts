import type { MiddlewareHandler } from "hono";
import type { Clock } from "lockstep";
import type { ServerEnv } from "../server-env.ts";

/**
 * Says in each answer how long the server took for it, where browsers show it; of a stream, how long until it began.
 * Not for unknown callers: they must not learn how long the check of their token took.
 */
export function tellTime(clock: Clock): MiddlewareHandler<ServerEnv> {
  return async (c, next) => {
    const beganAtMs = clock.monotonicMs();
    await next();
    if (c.get("caller") === null) return;
    c.res.headers.set("Server-Timing", `total;dur=${(clock.monotonicMs() - beganAtMs).toFixed(1)}`);
  };
}
