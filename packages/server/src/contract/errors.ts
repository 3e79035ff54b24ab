import { z } from "@hono/zod-openapi";
import { instantSchema } from "./instant.ts";

const date = z.iso.datetime({ offset: true }).transform((text) => new Date(text));

export const errorsQuery = z.object({
  pipeline: z.string().max(100).optional(),
  stage: z.string().max(100).optional().openapi({ description: "Only this stage; needs pipeline." }),
  since: date.optional().openapi({ type: "string", format: "date-time", description: "Failed since then." }),
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
  sort: z
    .enum(["-lastAt", "-jobs"])
    .default("-lastAt")
    .openapi({ description: "Latest first, or most jobs first." }),
});

export const errorKindSchema = z
  .object({
    fingerprint: z.string().openapi({ description: "For `error:` in a filter." }),
    pipeline: z.string(),
    stage: z.string(),
    name: z.string().nullable(),
    message: z.string().nullable().openapi({ description: "Of the last one." }),
    jobs: z.int(),
    firstAt: instantSchema,
    lastAt: instantSchema,
    sampleId: z.string(),
    capped: z.boolean().openapi({
      description: "The pipeline has more failures than were counted: there are at least this many jobs.",
    }),
  })
  .openapi("ErrorKind");

export const errorKindsSchema = z.object({ data: z.array(errorKindSchema).readonly() }).openapi("ErrorKinds");

export const errorHistoryQuery = z.object({
  pipeline: z.string().max(100).optional(),
  fingerprint: z.string().max(100).optional().openapi({
    description: "Only this kind; with its pipeline, it is returned even if no job failed with it.",
  }),
  from: date.optional().openapi({ type: "string", format: "date-time", description: "A day before `to`." }),
  to: date.optional().openapi({ type: "string", format: "date-time", description: "Now, by default." }),
  stepMs: z.coerce.number().int().min(60_000).optional().openapi({ description: "An hour, by default." }),
});

export const errorHistorySchema = z
  .object({
    fingerprint: z.string(),
    beginsAt: instantSchema.openapi({ description: "When the first step starts." }),
    jobs: z.array(z.int().nullable()).readonly().openapi({
      description:
        "How many jobs failed with it in each step and are still failed; null before the newest 10,000 failures.",
    }),
  })
  .openapi("ErrorHistory");

export const errorHistoriesSchema = z
  .object({ data: z.array(errorHistorySchema).readonly() })
  .openapi("ErrorHistories");

export type ErrorHistoryAnswer = z.infer<typeof errorHistorySchema>;
export type ErrorKindAnswer = z.infer<typeof errorKindSchema>;
