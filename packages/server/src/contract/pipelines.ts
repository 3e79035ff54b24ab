import { z } from "@hono/zod-openapi";
import { instantSchema } from "./instant.ts";

const rateSchema = z.object({ jobs: z.int(), perMs: z.int() });

const stageSchema = z
  .object({
    name: z.string(),
    kind: z.enum(["wait", "sleep"]).optional().openapi({
      description: "A stage that no worker runs; the options of handlers mean nothing there.",
    }),
    waitMs: z
      .int()
      .optional()
      .openapi({ description: "How long it lasts; without it, as long as it takes." }),
    onTimeout: z.string().optional(),
    notBy: z.enum(["owner"]).optional(),
    signalSchema: z.record(z.string(), z.unknown()).optional(),
    maxAttempts: z.int(),
    maxLosses: z.int(),
    timeoutMs: z.int().nullable(),
    retry: z.object({
      kind: z.enum(["exponential", "linear", "constant"]),
      baseMs: z.number(),
      capMs: z.number(),
      jitter: z.number(),
    }),
    concurrency: z.int().optional(),
    groupConcurrency: z.int().optional(),
    rate: rateSchema.optional(),
    groupRate: rateSchema.optional(),
    breaker: z.record(z.string(), z.unknown()).optional(),
    pausedAt: instantSchema.nullable(),
    branches: z
      .array(z.string())
      .readonly()
      .optional()
      .openapi({ description: "Only of a parallel stage: the names of its branches." }),
    spends: z.record(z.string(), z.number().nullable()).optional().openapi({
      description: "What an attempt is to spend, by the names of budgets; null: the code estimates it.",
    }),
  })
  .openapi("Stage");

export const pipelineSchema = z
  .object({
    name: z.string(),
    version: z.int(),
    maxPending: z.int().nullable(),
    ageingMs: z.number().nullable(),
    events: z.boolean().openapi({ description: "Whether the realtime log has events of all its jobs." }),
    payloadSchema: z.record(z.string(), z.unknown()).nullable().openapi({
      description: "JSON Schema (draft 2020-12) of the payload, if its validator can produce one.",
    }),
    stages: z.array(stageSchema).readonly(),
    branchOf: z
      .string()
      .nullable()
      .openapi({ description: "The pipeline with the parallel stage whose branch it is." }),
  })
  .openapi("Pipeline");

export const pipelinesSchema = z.object({ data: z.array(pipelineSchema).readonly() }).openapi("Pipelines");

const date = z.iso.datetime({ offset: true }).transform((text) => new Date(text));

export const historyQuery = z.object({
  stage: z.string().max(100).optional(),
  from: date.optional().openapi({ type: "string", format: "date-time", description: "An hour before `to`." }),
  to: date.optional().openapi({ type: "string", format: "date-time", description: "Now, by default." }),
  stepMs: z.coerce.number().int().min(60_000).optional().openapi({ description: "A minute, by default." }),
});

const times = z.number().nullable();

export const historySchema = z
  .object({
    data: z
      .array(
        z
          .object({
            at: instantSchema,
            stage: z.string(),
            entered: z.int(),
            started: z.int(),
            advanced: z.int(),
            completed: z.int(),
            retrying: z.int(),
            failed: z.int(),
            snoozed: z.int(),
            released: z.int(),
            lost: z.int(),
            cancelled: z.int(),
            skipped: z.int(),
            waitP50Ms: times,
            waitP95Ms: times,
            runP50Ms: times,
            runP95Ms: times,
          })
          .openapi("HistoryStep"),
      )
      .readonly(),
  })
  .openapi("History");

export type PipelineAnswer = z.infer<typeof pipelineSchema>;
export type HistoryAnswer = z.infer<typeof historySchema>;
