import { createRoute } from "@hono/zod-openapi";
import { meSchema, ownerTokenRequestSchema, ownerTokenSchema, rights } from "../contract/access.ts";
import { callerOf, needs, needsCaller } from "../middleware/needs.ts";
import { json, problems } from "./answers.ts";
import { type ApiApp, apiApp } from "./api-app.ts";
import type { RouteParts } from "./route-parts.ts";

const getMe = createRoute({
  method: "get",
  path: "/me",
  summary: "Who you are here, and what you may do",
  tags: ["access"],
  ...needsCaller(),
  responses: { 200: json(meSchema, "The caller."), ...problems() },
});

const makeOwnerToken = createRoute({
  method: "post",
  path: "/owner-tokens",
  summary:
    "A signed token with which a browser follows the jobs of one owner, or one job, and may signal their waits",
  tags: ["access"],
  ...needs("tokens.make"),
  request: {
    body: { required: true, content: { "application/json": { schema: ownerTokenRequestSchema } } },
  },
  responses: {
    201: json(ownerTokenSchema, "It is not stored: whoever has it may read until it expires."),
    ...problems("tokens.not_configured", "input.invalid"),
  },
});

export function accessRoutes({ engine, config }: RouteParts): ApiApp {
  const app = apiApp();
  const { keepCompletedDays, keepFailedDays } = engine.retention;
  const { environment, links } = config;
  const server = { environment, links, keepCompletedDays, keepFailedDays };
  app.openapi(getMe, (c) => {
    const caller = callerOf(c);
    const { user, owner } = caller;
    return c.json({ user, rights: rights.filter((right) => caller.rights.has(right)), owner, server }, 200);
  });
  app.openapi(makeOwnerToken, async (c) => {
    const { owner = "", jobId, expiresInMs, signals } = c.req.valid("json");
    const token =
      jobId === undefined
        ? engine.ownerToken(owner, { expiresInMs, signals })
        : engine.jobToken(jobId, { expiresInMs, signals });
    const act = { user: callerOf(c).user, action: "tokens.make", requestId: c.get("requestId") };
    // Without an idempotency key: its answer would keep the token.
    const target = jobId === undefined ? `owners/${owner}` : `jobs/${jobId}`;
    await engine.recorded({ ...act, target }, async (writes) =>
      writes.note({ outcome: "made", detail: { expiresInMs, ...(signals.length > 0 && { signals }) } }),
    );
    return c.json({ token, expiresInMs }, 201);
  });
  return app;
}
