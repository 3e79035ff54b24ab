import { createRoute, z } from "@hono/zod-openapi";
import { scheduleAnswerSchema, scheduleListQuery, schedulePageSchema } from "../contract/schedules.ts";
import { needs } from "../middleware/needs.ts";
import { recorded } from "../middleware/recorded.ts";
import { json, problems } from "./answers.ts";
import { type ApiApp, apiApp } from "./api-app.ts";
import { keyedPage, keyIn } from "./keyed-page.ts";
import type { RouteParts } from "./route-parts.ts";
import { writeHeaders } from "./write-headers.ts";

const params = z.object({ name: z.string() });

const listSchedules = createRoute({
  method: "get",
  path: "/schedules",
  summary: "The schedules, each with its next runs",
  tags: ["schedules"],
  ...needs("jobs.read"),
  request: { query: scheduleListQuery },
  responses: { 200: json(schedulePageSchema, "By name."), ...problems("cursor.invalid", "input.invalid") },
});

const pauseSchedule = createRoute({
  method: "post",
  path: "/schedules/{name}/pause",
  summary: "Pause a schedule: it adds no more jobs",
  tags: ["schedules"],
  ...needs("schedules.change"),
  request: { params, headers: writeHeaders },
  responses: { 200: json(scheduleAnswerSchema, "It is paused."), ...problems("schedule.not_found") },
});

const resumeSchedule = createRoute({
  method: "post",
  path: "/schedules/{name}/resume",
  summary: "Resume a schedule with its next tick",
  tags: ["schedules"],
  ...needs("schedules.change"),
  request: { params, headers: writeHeaders },
  responses: { 200: json(scheduleAnswerSchema, "It is not paused."), ...problems("schedule.not_found") },
});

export function scheduleRoutes({ engine, reader }: RouteParts): ApiApp {
  const app = apiApp();
  app.openapi(listSchedules, async (c) => {
    const { pipeline, limit, cursor } = c.req.valid("query");
    // One more than is shown tells whether there are more.
    const found = await reader.schedules({ pipeline, after: keyIn(cursor), limit: limit + 1 });
    return c.json(
      keyedPage(found, limit, ({ name }) => name),
      200,
    );
  });
  app.openapi(pauseSchedule, async (c) => {
    const { name } = c.req.valid("param");
    const act = { action: "schedules.pause" };
    const changed = await recorded(c, engine, act, (writes) => writes.pauseSchedule(name));
    return c.json({ name, isPaused: true, changed }, 200);
  });
  app.openapi(resumeSchedule, async (c) => {
    const { name } = c.req.valid("param");
    const act = { action: "schedules.resume" };
    const changed = await recorded(c, engine, act, (writes) => writes.resumeSchedule(name));
    return c.json({ name, isPaused: false, changed }, 200);
  });
  return app;
}
