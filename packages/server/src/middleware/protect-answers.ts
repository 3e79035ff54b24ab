import { randomUUID } from "node:crypto";
import type { MiddlewareHandler } from "hono";
import type { ServerEnv } from "../server-env.ts";

const headers: readonly (readonly [string, string])[] = [
  [
    "Content-Security-Policy",
    "default-src 'self'; script-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'",
  ],
  ["X-Content-Type-Options", "nosniff"],
  ["Referrer-Policy", "no-referrer"],
  ["Cross-Origin-Resource-Policy", "same-origin"],
  ["Cross-Origin-Opener-Policy", "same-origin"],
];

/** Gives each request its id, and each answer the headers that keep browsers from doing more than they should. */
export const protectAnswers: MiddlewareHandler<ServerEnv> = async (c, next) => {
  const given = c.req.header("x-request-id");
  const requestId = given !== undefined && /^[\w.:-]{1,100}$/.test(given) ? given : randomUUID();
  c.set("requestId", requestId);
  await next();
  for (const [name, value] of headers) {
    // A page that needs less allows less.
    if (!c.res.headers.has(name)) c.res.headers.set(name, value);
  }
  c.res.headers.set("X-Request-Id", requestId);
  if (!c.res.headers.has("Cache-Control")) c.res.headers.set("Cache-Control", "no-store");
};
