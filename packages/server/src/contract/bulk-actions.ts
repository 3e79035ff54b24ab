import { z } from "@hono/zod-openapi";
import { instantSchema } from "./instant.ts";
import { countSchema, pageQuery, pageSchema } from "./page.ts";

export const bulkActionRequestSchema = z
  .strictObject({
    action: z.enum(["cancel", "retry"]),
    filter: z.string().min(1).max(2_000).optional().openapi({
      description: "Which jobs, in the same form as for lists. Times such as since:24h count from the start.",
    }),
    ids: z.array(z.uuid()).min(1).max(10_000).optional(),
    fromStage: z.string().min(1).max(100).optional().openapi({ description: "Of a retry." }),
    dryRun: z.boolean().default(false).openapi({ description: "Only says how many jobs match." }),
  })
  .refine(({ filter, ids }) => filter !== undefined || ids !== undefined, {
    message: "needs filter or ids: without them it would affect every job",
  })
  .openapi("BulkActionRequest", {
    example: { action: "retry", filter: "status:failed error:3f2a since:24h" },
  });

export const bulkActionSchema = z
  .object({
    id: z.string(),
    action: z.enum(["cancel", "retry"]),
    filter: z.record(z.string(), z.unknown()).openapi({ description: "As it was at the start." }),
    ids: z.int().nullable().openapi({ description: "How many were named by their ids." }),
    fromStage: z.string().nullable(),
    status: z.enum(["running", "done", "aborted"]),
    user: z.string(),
    matched: z.object({ value: z.int(), exact: z.boolean() }).openapi({
      description:
        "Not exact: the count stopped early, and there are at least this many. All matching jobs are included, and at the end the count is exact.",
    }),
    done: z.int(),
    skipped: z
      .record(z.string(), z.int())
      .openapi({ description: "Jobs that were left as they were, by reason." }),
    failed: z.int(),
    failures: z
      .array(z.object({ jobId: z.string(), code: z.string(), message: z.string() }))
      .readonly()
      .openapi({ description: "The first twenty." }),
    startedAt: instantSchema,
    steppedAt: instantSchema,
    finishedAt: instantSchema.nullable(),
    lookedTo: instantSchema
      .nullable()
      .openapi({ description: "While it runs over a filter: how far back it has searched." }),
  })
  .openapi("BulkAction");

export const bulkPreviewSchema = z.object({ matched: countSchema }).openapi("BulkPreview");

export const bulkPageQuery = z.object({
  ...pageQuery,
  limit: z.coerce.number().int().min(1).max(100).default(50),
});

export const bulkPageSchema = z
  .object({ data: z.array(bulkActionSchema).readonly(), page: pageSchema })
  .openapi("BulkPage");

export type BulkActionAnswer = z.infer<typeof bulkActionSchema>;
