import { z } from "@hono/zod-openapi";
import { instantSchema } from "./instant.ts";
import { countQuery, countSchema, pageQuery, pageSchema } from "./page.ts";

const schemaOfSignal = z
  .record(z.string(), z.unknown())
  .nullable()
  .openapi({ description: "JSON Schema of the signal, if its validator can produce one." });

/** What a job waits for now. */
export const waitSchema = z
  .object({
    kind: z.enum(["wait", "sleep"]),
    signal: z.string().nullable().openapi({ description: "What to signal; null for a sleep." }),
    since: instantSchema,
    until: instantSchema.nullable().openapi({
      description: "When a sleep is over, or a wait times out; null: it waits as long as it takes.",
    }),
    onTimeout: z.string().nullable().openapi({
      description: "`fail`, `continue` or the name of a later stage; null for a sleep.",
    }),
    notBy: z.enum(["owner"]).nullable().openapi({ description: "Who cannot signal it." }),
    schema: schemaOfSignal,
    pausedAt: instantSchema.nullable().openapi({
      description: "While it is paused nothing gets through; a signal is kept.",
    }),
  })
  .openapi("Wait");

/** A wait that has ended. */
export const pastWaitSchema = z
  .object({
    stage: z.string(),
    outcome: z.enum(["signalled", "timed_out", "slept"]),
    since: instantSchema,
    endedAt: instantSchema,
    by: z.string().nullable().openapi({ description: "Who signalled, if they said so." }),
  })
  .openapi("PastWait");

export const waitingJobSchema = z
  .object({
    id: z.uuid(),
    pipeline: z.string(),
    owner: z.string().nullable(),
    tags: z.array(z.string()).readonly(),
    addedAt: instantSchema,
    payloadPreview: z.string().nullable().openapi({
      description:
        "The first 200 characters of the payload; null without the right jobs.payload, or where a part is hidden.",
    }),
    wait: waitSchema,
  })
  .openapi("WaitingJob");

export const waitingJobsQuery = z.object({
  pipeline: z.string().min(1).max(100).optional(),
  signal: z.string().min(1).max(100).optional().openapi({ description: "The name of a wait." }),
  owner: z.string().min(1).max(255).optional(),
  ...countQuery,
  ...pageQuery,
});

export const waitingJobsSchema = z
  .object({ data: z.array(waitingJobSchema).readonly(), page: pageSchema, count: countSchema.optional() })
  .openapi("WaitingJobs");

export const signalJobSchema = z
  .strictObject({
    value: z.unknown().optional().openapi({
      description:
        "What is said: the output of the wait. Checked by the schema of the wait; null by default.",
    }),
  })
  .openapi("SignalJob", { example: { value: { approved: true } } });

export const signalledJobSchema = z
  .object({
    id: z.uuid(),
    answer: z.enum(["signalled", "kept"]).openapi({
      description:
        "`signalled`: the job continues. `kept`: it has not come to the wait yet, or the wait is paused; the signal is kept until the job can take it.",
    }),
  })
  .openapi("SignalledJob");

export type WaitAnswer = z.infer<typeof waitSchema>;
export type PastWaitAnswer = z.infer<typeof pastWaitSchema>;
export type WaitingJobAnswer = z.infer<typeof waitingJobSchema>;
export type SignalJobRequest = z.input<typeof signalJobSchema>;
export type SignalledJobAnswer = z.infer<typeof signalledJobSchema>;
