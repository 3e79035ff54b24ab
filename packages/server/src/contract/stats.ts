import { z } from "@hono/zod-openapi";
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

export const statsSchema = z.object({ data: z.array(stageCountSchema).readonly() }).openapi("Stats");

export type StageCountAnswer = z.infer<typeof stageCountSchema>;
