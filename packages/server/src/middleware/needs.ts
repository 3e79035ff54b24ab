import type { Context, MiddlewareHandler } from "hono";
import type { Caller } from "../access/caller.ts";
import type { Right } from "../contract/access.ts";
import type { ServerEnv } from "../server-env.ts";
import { ProblemError } from "./problem-error.ts";

export interface Needs {
  readonly middleware: MiddlewareHandler<ServerEnv>;
  readonly security: { [scheme: string]: string[] }[];
  readonly "x-right": Right | "none";
  readonly "x-owner-bound": boolean;
}

/**
 * A part of a route: it is for callers with this right. Those who are bound to an owner come in only where the route
 * keeps to that owner's jobs.
 */
export function needs(right: Right, { ownerBound = false } = {}): Needs {
  return {
    middleware: async (c, next) => {
      const caller = callerOf(c);
      if (!caller.rights.has(right)) {
        throw new ProblemError(
          "rights.missing",
          `This needs the right ${right}, which ${caller.user} does not have.`,
        );
      }
      if (caller.owner !== null && !ownerBound) throw ownerOnly(caller);
      await next();
    },
    security: [{ bearer: [] }, { basic: [] }],
    "x-right": right,
    "x-owner-bound": ownerBound,
  };
}

/** The same for what any known caller may see. */
export function needsCaller(): Needs {
  return {
    middleware: async (c, next) => {
      callerOf(c);
      await next();
    },
    security: [{ bearer: [] }, { basic: [] }],
    "x-right": "none",
    "x-owner-bound": true,
  };
}

/** Who asks; an unknown caller is refused. */
export function callerOf(c: Context<ServerEnv>): Caller {
  const caller = c.get("caller") ?? null;
  if (caller !== null) return caller;
  const headers = { "WWW-Authenticate": 'Basic realm="Lockstep", charset="UTF-8", Bearer realm="Lockstep"' };
  throw c.req.header("authorization") === undefined
    ? new ProblemError(
        "token.missing",
        "Send a token: Authorization: Bearer …, or as the password of Basic.",
        { headers },
      )
    : new ProblemError("token.refused", "This token is not known here.", { headers });
}

function ownerOnly({ user, owner }: Caller): ProblemError {
  return new ProblemError(
    "owner.bound",
    `The access of ${user} is bound to the owner "${owner}", and this request is about everyone's jobs.`,
  );
}
