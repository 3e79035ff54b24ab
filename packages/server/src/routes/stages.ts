import { createRoute, z } from "@hono/zod-openapi";
import { stageAnswerSchema } from "../contract/stages.ts";
import { needs } from "../middleware/needs.ts";
import { recorded } from "../middleware/recorded.ts";
import { json, problems } from "./answers.ts";
import { type ApiApp, apiApp } from "./api-app.ts";
import type { RouteParts } from "./route-parts.ts";
import { writeHeaders } from "./write-headers.ts";

const params = z.object({ pipeline: z.string(), stage: z.string() });

const pauseStage = createRoute({
  method: "post",
  path: "/stages/{pipeline}/{stage}/pause",
  summary: "Pause a stage on every worker",
  tags: ["stages"],
  ...needs("stages.pause"),
  request: { params, headers: writeHeaders },
  responses: { 200: json(stageAnswerSchema, "It is paused."), ...problems("stage.not_found") },
});

const resumeStage = createRoute({
  method: "post",
  path: "/stages/{pipeline}/{stage}/resume",
  summary: "Resume a stage on every worker",
  tags: ["stages"],
  ...needs("stages.pause"),
  request: { params, headers: writeHeaders },
  responses: { 200: json(stageAnswerSchema, "It is not paused."), ...problems("stage.not_found") },
});

export function stageRoutes({ engine }: RouteParts): ApiApp {
  const app = apiApp();
  app.openapi(pauseStage, async (c) => {
    const { pipeline, stage } = c.req.valid("param");
    const changed = await recorded(c, engine, { action: "stages.pause" }, (writes) =>
      writes.pause(pipeline, stage),
    );
    return c.json({ pipeline, stage, isPaused: true, changed }, 200);
  });
  app.openapi(resumeStage, async (c) => {
    const { pipeline, stage } = c.req.valid("param");
    const changed = await recorded(c, engine, { action: "stages.resume" }, (writes) =>
      writes.resume(pipeline, stage),
    );
    return c.json({ pipeline, stage, isPaused: false, changed }, 200);
  });
  return app;
}
