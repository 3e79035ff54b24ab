import { createRoute } from "@hono/zod-openapi";
import { statsSchema } from "../contract/stats.ts";
import { needs } from "../middleware/needs.ts";
import { json, problems } from "./answers.ts";
import { type ApiApp, apiApp } from "./api-app.ts";
import type { RouteParts } from "./route-parts.ts";

const getStats = createRoute({
  method: "get",
  path: "/stats",
  summary: "How many jobs are where, and since when the oldest wait",
  tags: ["stats"],
  ...needs("jobs.read"),
  responses: { 200: json(statsSchema, "By pipeline, stage and status, from counters."), ...problems() },
});

export function statsRoutes({ reader, waits }: RouteParts): ApiApp {
  const app = apiApp();
  app.openapi(getStats, async (c) => {
    const [data, oldest] = await Promise.all([reader.stats(), waits.look()]);
    return c.json({ data, waits: oldest }, 200);
  });
  return app;
}
