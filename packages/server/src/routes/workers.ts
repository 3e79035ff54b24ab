import { createRoute } from "@hono/zod-openapi";
import { workersSchema } from "../contract/workers.ts";
import { needs } from "../middleware/needs.ts";
import { json, problems } from "./answers.ts";
import { type ApiApp, apiApp } from "./api-app.ts";
import type { RouteParts } from "./route-parts.ts";

const listWorkers = createRoute({
  method: "get",
  path: "/workers",
  summary: "The workers that are alive, and those that were lost recently",
  tags: ["workers"],
  ...needs("jobs.read"),
  responses: { 200: json(workersSchema, "Each with what it holds."), ...problems() },
});

export function workerRoutes({ reader }: RouteParts): ApiApp {
  const app = apiApp();
  app.openapi(listWorkers, async (c) => c.json({ data: await reader.workers() }, 200));
  return app;
}
