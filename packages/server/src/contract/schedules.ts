import { z } from "@hono/zod-openapi";
import { instantSchema } from "./instant.ts";
import { pageQuery, pageSchema } from "./page.ts";

export const scheduleSchema = z
  .object({
    name: z.string(),
    pipeline: z.string(),
    cron: z.string(),
    timeZone: z.string(),
    priority: z.int(),
    owner: z.string().nullable(),
    groupKey: z.string().nullable(),
    tags: z.array(z.string()).readonly(),
    missed: z.enum(["skip", "run_once"]),
    changedAt: instantSchema,
    pausedAt: instantSchema.nullable(),
    lastAt: instantSchema.nullable(),
    lastJobId: z.string().nullable(),
    problem: z.string().nullable().openapi({ description: "Why it adds no jobs, in a sentence." }),
    nextRuns: z.array(instantSchema).readonly(),
  })
  .openapi("Schedule");

export const scheduleListQuery = z.object({ pipeline: z.string().max(100).optional(), ...pageQuery });

export const schedulePageSchema = z
  .object({ data: z.array(scheduleSchema).readonly(), page: pageSchema })
  .openapi("SchedulePage");

export const scheduleAnswerSchema = z
  .object({
    name: z.string(),
    isPaused: z.boolean(),
    changed: z.boolean().openapi({ description: "False: it was already in this state." }),
  })
  .openapi("ScheduleAnswer");

export type ScheduleAnswer = z.infer<typeof scheduleSchema>;
