import { z } from "@hono/zod-openapi";
import { instantSchema } from "./instant.ts";
import { pageQuery, pageSchema } from "./page.ts";

export const actionSchema = z
  .object({
    id: z.string(),
    at: instantSchema,
    user: z.string(),
    action: z.string().openapi({ example: "jobs.cancel" }),
    target: z.string().openapi({ example: "jobs/0192f0c1-7a3e-7cc3-98c4-dc0c0c07398f" }),
    outcome: z.string(),
    requestId: z.string().nullable(),
    detail: z.record(z.string(), z.unknown()).nullable(),
  })
  .openapi("RecordedAction");

export const auditQuery = z.object({
  user: z.string().max(255).optional(),
  target: z.string().max(600).optional(),
  ...pageQuery,
  limit: z.coerce.number().int().min(1).max(100).default(50),
});

export const auditPageSchema = z
  .object({ data: z.array(actionSchema).readonly(), page: pageSchema })
  .openapi("AuditPage");

export type RecordedActionAnswer = z.infer<typeof actionSchema>;
