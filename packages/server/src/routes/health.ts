import { createRoute, z } from "@hono/zod-openapi";
import { healthSchema } from "../contract/health.ts";
import type { HealthChecker } from "../health/health-checker.ts";
import { needs } from "../middleware/needs.ts";
import { json, problems } from "./answers.ts";
import { type ApiApp, apiApp } from "./api-app.ts";
import type { RouteParts } from "./route-parts.ts";

const open: { security: []; "x-right": "open" } = { security: [], "x-right": "open" };

const getHealth = createRoute({
  method: "get",
  path: "/health",
  summary: "Whether the server is ready; why not, for those with the right metrics.read",
  tags: ["health"],
  ...open,
  responses: { 200: json(healthSchema, "Ready."), 503: json(healthSchema, "Not ready.") },
});

const getLive = createRoute({
  method: "get",
  path: "/health/live",
  summary: "Whether the process answers; nothing else is checked",
  tags: ["health"],
  ...open,
  responses: { 200: json(healthSchema, "It does.") },
});

const getMetrics = createRoute({
  method: "get",
  path: "/metrics",
  summary: "The whole queue in numbers, for Prometheus",
  tags: ["health"],
  ...needs("metrics.read"),
  responses: {
    200: { description: "Text exposition format 0.0.4.", content: { "text/plain": { schema: z.string() } } },
    ...problems(),
  },
});

export function healthRoutes({ reader }: RouteParts, health: HealthChecker): ApiApp {
  const app = apiApp();
  app.openapi(getHealth, async (c) => {
    const { ok, checks } = await health.look();
    const caller = c.get("caller");
    const maySee = caller !== null && caller.owner === null && caller.rights.has("metrics.read");
    return c.json(maySee ? { ok, checks } : { ok }, ok ? 200 : 503);
  });
  app.openapi(getLive, (c) => c.json({ ok: true }, 200));
  app.openapi(getMetrics, async (c) =>
    c.text(await reader.metrics(), 200, { "Content-Type": "text/plain; version=0.0.4; charset=utf-8" }),
  );
  return app;
}
