import { createRoute } from "@hono/zod-openapi";
import { auditPageSchema, auditQuery } from "../contract/audit.ts";
import { needs } from "../middleware/needs.ts";
import { json, problems } from "./answers.ts";
import { type ApiApp, apiApp } from "./api-app.ts";
import { keyedPage, keyIn } from "./keyed-page.ts";
import type { RouteParts } from "./route-parts.ts";

const listActions = createRoute({
  method: "get",
  path: "/audit",
  summary: "What people did, newest first",
  tags: ["audit"],
  ...needs("audit.read"),
  request: { query: auditQuery },
  responses: {
    200: json(auditPageSchema, "Who, what, to what, and when."),
    ...problems("cursor.invalid", "input.invalid"),
  },
});

export function auditRoutes({ engine }: RouteParts): ApiApp {
  const app = apiApp();
  app.openapi(listActions, async (c) => {
    const { user, target, limit, cursor } = c.req.valid("query");
    // One more than is shown tells whether there are more.
    const found = await engine.recordedActions({
      user,
      target,
      before: keyIn(cursor, /^\d{1,18}$/),
      limit: limit + 1,
    });
    return c.json(
      keyedPage(found, limit, ({ id }) => id),
      200,
    );
  });
  return app;
}
