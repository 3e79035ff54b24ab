import { z } from "@hono/zod-openapi";

export const stageAnswerSchema = z
  .object({
    pipeline: z.string(),
    stage: z.string(),
    isPaused: z.boolean(),
    changed: z.boolean().openapi({ description: "False: it was already in this state." }),
  })
  .openapi("StageAnswer");

export type StageAnswer = z.infer<typeof stageAnswerSchema>;
