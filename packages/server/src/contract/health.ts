import { z } from "@hono/zod-openapi";

export const healthCheckSchema = z
  .object({
    check: z.string(),
    ok: z.boolean(),
    isCritical: z.boolean().openapi({ description: "While it is not ok, the server is not ready: 503." }),
    value: z.union([z.number(), z.string(), z.null()]),
    threshold: z.union([z.number(), z.string(), z.null()]),
    advice: z.string().nullable().openapi({ description: "What to do when it is not ok." }),
    detail: z.string().nullable().openapi({ description: "More information, ok or not." }),
  })
  .openapi("HealthCheck");

export const healthSchema = z
  .object({
    ok: z.boolean(),
    checks: z.array(healthCheckSchema).readonly().optional().openapi({
      description: "Only for callers with the right metrics.read.",
    }),
  })
  .openapi("Health");

export type HealthCheck = z.infer<typeof healthCheckSchema>;
export type HealthAnswer = z.infer<typeof healthSchema>;
