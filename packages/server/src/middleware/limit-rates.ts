import type { MiddlewareHandler } from "hono";
import type { ServerConfig } from "../config/server-settings.ts";
import { addressOf, type ServerEnv } from "../server-env.ts";
import { ProblemError } from "./problem-error.ts";
import { TokenBuckets } from "./token-buckets.ts";

type Kind = "adds" | "writes" | "reads";

/** Limits how much each user, or each address of unknown callers, may do per second. */
export function limitRates(config: ServerConfig): MiddlewareHandler<ServerEnv> {
  const bucketsOf = (perSecond: number | null) =>
    perSecond === null ? null : new TokenBuckets(perSecond, config.clock);
  const buckets: Record<Kind, TokenBuckets | null> = {
    adds: bucketsOf(config.addsPerSecond),
    writes: bucketsOf(config.writesPerSecond),
    reads: bucketsOf(config.readsPerSecond),
  };
  return async (c, next) => {
    const { method, path } = c.req;
    if (!path.endsWith("/health/live")) {
      const kind: Kind = /^(GET|HEAD)$/.test(method) ? "reads" : path.endsWith("/jobs") ? "adds" : "writes";
      const caller = c.get("caller");
      const key = caller === null ? `address ${addressOf(c.env) ?? ""}` : `user ${caller.user}`;
      const waitMs = buckets[kind]?.take(key) ?? 0;
      if (waitMs > 0) throw tooMany(kind, waitMs);
    }
    await next();
  };
}

function tooMany(kind: Kind, waitMs: number): ProblemError {
  const seconds = Math.ceil(waitMs / 1_000);
  return new ProblemError(
    "rate.exceeded",
    `Too many ${kind} in a short time: wait ${seconds} s, and send fewer.`,
    { headers: { "Retry-After": String(seconds) } },
  );
}
