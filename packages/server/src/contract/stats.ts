import { z } from "@hono/zod-openapi";
import { instantSchema } from "./instant.ts";
import { jobStatusSchema } from "./jobs.ts";

export const stageCountSchema = z
  .object({
    pipeline: z.string(),
    stage: z.string(),
    status: jobStatusSchema,
    jobs: z.int(),
    paused: z.boolean(),
  })
  .openapi("StageCount");

export const stageWaitSchema = z
  .object({
    pipeline: z.string(),
    stage: z.string(),
    oldestPendingAt: instantSchema.openapi({
      description: "Since when the longest waiting job could have been claimed.",
    }),
  })
  .openapi("StageWait");

export const statsSchema = z
  .object({
    data: z.array(stageCountSchema).readonly(),
    waits: z
      .array(stageWaitSchema)
      .readonly()
      .openapi({ description: "For stages with pending jobs; at most a few seconds old." }),
  })
  .openapi("Stats");

export type StageCountAnswer = z.infer<typeof stageCountSchema>;
export type StageWaitAnswer = z.infer<typeof stageWaitSchema>;
export type StatsAnswer = z.infer<typeof statsSchema>;
