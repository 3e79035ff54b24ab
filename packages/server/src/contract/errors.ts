import { z } from "@hono/zod-openapi";
import { instantSchema } from "./instant.ts";

const date = z.iso.datetime({ offset: true }).transform((text) => new Date(text));

export const errorsQuery = z.object({
  pipeline: z.string().max(100).optional(),
  stage: z.string().max(100).optional().openapi({ description: "Of the pipeline, which it needs." }),
  since: date.optional().openapi({ type: "string", format: "date-time", description: "Failed since then." }),
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
});

export const errorKindSchema = z
  .object({
    fingerprint: z.string().openapi({ description: "As `error:` of a filter takes it." }),
    pipeline: z.string(),
    stage: z.string(),
    name: z.string().nullable(),
    message: z.string().nullable().openapi({ description: "Of the last one." }),
    jobs: z.int(),
    firstAt: instantSchema,
    lastAt: instantSchema,
    sampleId: z.string(),
    capped: z.boolean().openapi({ description: "There are more failures than the newest 10,000." }),
  })
  .openapi("ErrorKind");

export const errorKindsSchema = z.object({ data: z.array(errorKindSchema).readonly() }).openapi("ErrorKinds");

export type ErrorKindAnswer = z.infer<typeof errorKindSchema>;
