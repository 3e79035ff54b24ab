import { createRoute, z } from "@hono/zod-openapi";
import { historyQuery, historySchema, pipelineSchema, pipelinesSchema } from "../contract/pipelines.ts";
import { needs } from "../middleware/needs.ts";
import { ProblemError } from "../middleware/problem-error.ts";
import { json, problems } from "./answers.ts";
import { type ApiApp, apiApp } from "./api-app.ts";
import type { RouteParts } from "./route-parts.ts";

const name = z.object({ name: z.string().openapi({ example: "website-analysis" }) });

const listPipelines = createRoute({
  method: "get",
  path: "/pipelines",
  summary: "Every pipeline the database knows, with its stages",
  tags: ["pipelines"],
  ...needs("jobs.read", { ownerBound: true }),
  responses: { 200: json(pipelinesSchema, "By name."), ...problems() },
});

const getPipeline = createRoute({
  method: "get",
  path: "/pipelines/{name}",
  summary: "One pipeline",
  tags: ["pipelines"],
  ...needs("jobs.read", { ownerBound: true }),
  request: { params: name },
  responses: { 200: json(pipelineSchema, "The pipeline."), ...problems("pipeline.not_found") },
});

const getHistory = createRoute({
  method: "get",
  path: "/pipelines/{name}/history",
  summary: "What happened in its stages, step by step",
  tags: ["pipelines"],
  ...needs("jobs.read"),
  request: { params: name, query: historyQuery },
  responses: {
    200: json(historySchema, "By default the last hour, by the minute."),
    ...problems("pipeline.not_found", "input.invalid"),
  },
});

export function pipelineRoutes({ reader }: RouteParts): ApiApp {
  const app = apiApp();
  app.openapi(listPipelines, async (c) => c.json({ data: await reader.pipelines() }, 200));
  app.openapi(getPipeline, async (c) => {
    const wanted = c.req.valid("param").name;
    const found = (await reader.pipelines()).find((pipeline) => pipeline.name === wanted);
    if (found === undefined) throw notFound(wanted);
    return c.json(found, 200);
  });
  app.openapi(getHistory, async (c) => {
    const wanted = c.req.valid("param").name;
    const data = await reader.history(wanted, c.req.valid("query")).catch((error) => {
      throw (error as { code?: unknown }).code === "LS002" ? notFound(wanted) : error;
    });
    return c.json({ data }, 200);
  });
  return app;
}

function notFound(name: string): ProblemError {
  return new ProblemError("pipeline.not_found", `There is no pipeline "${name}": GET /pipelines lists them.`);
}
