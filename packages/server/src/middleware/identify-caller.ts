import type { MiddlewareHandler } from "hono";
import type { Clock } from "lockstep";
import type { Door } from "../access/door.ts";
import { addressOf, type ServerEnv } from "../server-env.ts";
import { ProblemError } from "./problem-error.ts";
import { TokenBuckets } from "./token-buckets.ts";

const guessesPerMinute = 10;

/**
 * Finds out who asks. It refuses nobody who comes without a token: that is the routes' part, each by the right it
 * needs. An address that sends wrong tokens is soon blocked; a right token is never delayed by this.
 */
export function identifyCaller(door: Door, clock: Clock): MiddlewareHandler<ServerEnv> {
  const guesses = new TokenBuckets(guessesPerMinute / 60, clock, guessesPerMinute);
  return async (c, next) => {
    const caller = await door(c.req.raw);
    c.set("caller", caller);
    if (caller === null && c.req.header("authorization") !== undefined) {
      const waitMs = guesses.take(addressOf(c.env) ?? "");
      if (waitMs > 0) throw tooMany(waitMs);
    }
    await next();
  };
}

function tooMany(waitMs: number): ProblemError {
  const seconds = Math.ceil(waitMs / 1_000);
  return new ProblemError("rate.exceeded", `Too many wrong tokens from this address: wait ${seconds} s.`, {
    headers: { "Retry-After": String(seconds) },
  });
}
