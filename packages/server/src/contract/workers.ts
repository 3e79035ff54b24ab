import { z } from "@hono/zod-openapi";
import { instantSchema } from "./instant.ts";

export const workerSchema = z
  .object({
    workerId: z.uuid(),
    name: z.string(),
    host: z.string().nullable(),
    pid: z.int().nullable(),
    version: z.string().nullable(),
    isAlive: z.boolean(),
    startedAt: instantSchema,
    heartbeatAt: instantSchema,
    leaseUntil: instantSchema,
    stages: z.array(z.string()).readonly(),
    activeJobs: z.int(),
    oldestJobAt: instantSchema.nullable(),
    newestJobAt: instantSchema.nullable(),
    report: z.unknown().openapi({ description: "The worker's last report of its processors." }),
  })
  .openapi("Worker");

export const workersSchema = z.object({ data: z.array(workerSchema).readonly() }).openapi("Workers");

export type WorkerAnswer = z.infer<typeof workerSchema>;
