import { z } from "@hono/zod-openapi";
import { instantSchema } from "./instant.ts";
import { countQuery, countSchema, pageQuery, pageSchema } from "./page.ts";
import { pastWaitSchema, waitSchema } from "./waits.ts";

export const jobStatuses = [
  "scheduled",
  "pending",
  "processing",
  "retrying",
  "completed",
  "failed",
  "cancelled",
] as const;

export const jobStatusSchema = z.enum(jobStatuses).openapi("JobStatus");

const exampleId = "0192f0c1-7a3e-7cc3-98c4-dc0c0c07398f";

export const jobIdSchema = z.uuid().openapi({ example: exampleId });

const errorShape = {
  name: z.string().optional(),
  message: z.string().optional(),
  stack: z.string().optional(),
  code: z.string().optional(),
  hasMoreCauses: z.boolean().optional().openapi({
    description: "Its cause was nested too deeply or was too large to be kept.",
  }),
  moreErrors: z.int().optional().openapi({ description: "How many more than `errors` there were." }),
  get cause() {
    return errorCauseSchema.optional();
  },
  get errors() {
    return z
      .array(errorCauseSchema)
      .readonly()
      .optional()
      .openapi({ description: "The first errors of an AggregateError." });
  },
};

/** What lies behind an error, in as many steps as were kept. */
const errorCauseSchema = z.object(errorShape).openapi("ErrorCause");

export const jobErrorSchema = z
  .object({ ...errorShape, permanent: z.boolean().optional() })
  .openapi("JobError");

export const jobProgressSchema = z
  .object({ percent: z.number(), note: z.string().nullable(), data: z.unknown() })
  .openapi("JobProgress");

const attemptSchema = z
  .object({
    stage: z.string(),
    attempt: z.int(),
    outcome: z.enum([
      ...["done", "skipped", "branched", "failed", "timeout", "lost", "released", "snoozed"],
      ...["cancelled", "processing"],
    ] as const),
    workerId: z.string(),
    claimedAt: instantSchema,
    endedAt: instantSchema.nullable(),
    error: jobErrorSchema.optional(),
    log: z
      .array(
        z.object({
          at: instantSchema,
          level: z.enum(["debug", "info", "warn", "error"]),
          message: z.string(),
          data: z.unknown(),
        }),
      )
      .readonly()
      .optional(),
  })
  .openapi("Attempt");

const summaryShape = {
  id: jobIdSchema,
  pipeline: z.string(),
  stage: z.string(),
  status: jobStatusSchema,
  priority: z.int(),
  attempt: z.int(),
  losses: z.int(),
  error: jobErrorSchema.nullable(),
  progress: jobProgressSchema.nullable(),
  owner: z.string().nullable(),
  dedupKey: z.string().nullable(),
  tags: z.array(z.string()).readonly(),
  addedAt: instantSchema,
  scheduledFor: instantSchema.nullable(),
  claimedAt: instantSchema.nullable(),
  finishedAt: instantSchema.nullable(),
  cancelRequestedAt: instantSchema.nullable(),
  workerId: z.string().nullable(),
  groupKey: z.string().nullable(),
  batchId: z.string().nullable(),
  fingerprint: z.string().nullable().openapi({ description: "Of its error; for `error:` in a filter." }),
};

/** A job as a list shows it. */
export const jobSummarySchema = z
  .object({
    ...summaryShape,
    payloadPreview: z.string().nullable().openapi({
      description:
        "The first 200 characters of the payload; null without the right jobs.payload, or where a part is hidden.",
    }),
  })
  .openapi("JobSummary");

/** A job with all it carries. */
export const jobSchema = z
  .object({
    ...summaryShape,
    payload: z.unknown(),
    outputs: z.record(z.string(), z.unknown()).openapi({ description: "What each finished stage returned." }),
    result: z.unknown().openapi({
      description: "What the last stage returned, or finish(); null until the job is completed.",
    }),
    attempts: z.array(attemptSchema).readonly(),
    wait: waitSchema
      .nullable()
      .openapi({ description: "What it waits for now: a signal, or the end of a sleep." }),
    waits: z
      .array(pastWaitSchema)
      .readonly()
      .openapi({ description: "The waits that it has behind it, oldest first." }),
    forkedFrom: jobIdSchema
      .nullable()
      .openapi({ description: "The finished job that this one runs again from one of its stages." }),
    parentId: jobIdSchema.nullable().openapi({ description: "The job that added this one as a child." }),
    branch: z.string().nullable().openapi({ description: "Its name among the branches of its parent." }),
    payloadBytes: z.int().openapi({ description: "How large the payload is as JSON." }),
    leftOut: z
      .array(z.enum(["payload", "outputs", "result"]))
      .readonly()
      .openapi({ description: "Left out because it is larger than 256 KiB: ask with `?full=1`." }),
    version: z.string().openapi({ description: "Changes with every move; progress does not change it." }),
    isPayloadHidden: z.boolean().openapi({
      description: "This access may not see the payload, outputs, result and other data of handlers.",
    }),
    hiddenInPayload: z.array(z.string()).readonly().openapi({
      description:
        'Where the payload has "[redacted]" in place of a value that is hidden from all: JSON pointers into it. Such a mark is refused when it is sent back.',
    }),
  })
  .openapi("Job");

const jobPageInfoSchema = pageSchema
  .extend({
    isCutShort: z.boolean().openapi({
      description:
        "No index covers the filter, and the search ended before the page was full: there may be more at `next`.",
    }),
    scannedTo: instantSchema.nullable().openapi({ description: "How far back the search went." }),
  })
  .openapi("JobPageInfo");

export const jobPageSchema = z
  .object({
    data: z.array(jobSummarySchema).readonly(),
    page: jobPageInfoSchema,
    count: countSchema.optional(),
  })
  .openapi("JobPage");

const filterText = z.string().max(2_000).optional().openapi({
  description: "Qualifiers and values: `status:failed,cancelled pipeline:document-ocr since:24h`.",
  example: "status:failed pipeline:document-ocr",
});

export const jobQuery = z.object({
  full: z
    .stringbool({ truthy: ["1", "true"], falsy: ["0", "false"] })
    .default(false)
    .openapi({ type: "boolean", description: "Include what is larger than 256 KiB." }),
});

export const jobCountsQuery = z.object({ filter: filterText });

export const jobListQuery = z.object({
  filter: filterText,
  sort: z.string().max(40).optional().openapi({
    description:
      "Newest first by default; `-finishedAt`, `scheduledFor`, `claimOrder`, `claimedAt` where the status has it.",
    example: "-finishedAt",
  }),
  ...countQuery,
  ...pageQuery,
});

export const jobCountsSchema = z
  .object({ counts: z.record(jobStatusSchema, countSchema) })
  .openapi("JobCounts");

const dedupSchema = z
  .union([
    z.strictObject({ forMs: z.int() }),
    z.strictObject({ throttleMs: z.int() }),
    z.strictObject({ debounceMs: z.int(), atMostMs: z.int().optional() }),
  ])
  .openapi("Dedup", { description: "What the dedup key does beyond keeping two live jobs apart." });

const date = z.iso.datetime({ offset: true }).transform((text) => new Date(text));

const addOptionsShape = {
  priority: z
    .int()
    .min(1)
    .max(20)
    .optional()
    .openapi({ description: "A smaller number runs sooner; default 10." }),
  scheduledFor: date.optional().openapi({ type: "string", format: "date-time" }),
  startBy: date.optional().openapi({ type: "string", format: "date-time" }),
  dedupKey: z.string().min(1).max(255).optional(),
  dedup: dedupSchema.optional(),
  owner: z.string().min(1).max(255).optional(),
  tags: z.array(z.string().min(1).max(255)).max(20).optional(),
  groupKey: z.string().min(1).max(255).optional(),
  signalKey: z.string().min(1).max(255).optional().openapi({
    description: "A name by which the job can be signalled by those who do not know its id.",
  }),
  id: z.uuid().optional().openapi({ description: "Your own id: adding it twice adds one job." }),
};

const addedItemSchema = z.strictObject({ payload: z.unknown(), ...addOptionsShape });

/** One job. */
export const addJobSchema = z
  .strictObject({ pipeline: z.string().min(1).max(100), payload: z.unknown(), ...addOptionsShape })
  .openapi("AddJob", {
    example: {
      pipeline: "website-analysis",
      payload: { url: "https://example.com" },
      dedupKey: "example.com",
    },
  });

/** Many jobs of one pipeline: all are added, or none. */
export const addJobsSchema = z
  .strictObject({ pipeline: z.string().min(1).max(100), jobs: z.array(addedItemSchema).min(1).max(1_000) })
  .openapi("AddJobs");

export const addedSchema = z
  .object({
    id: jobIdSchema,
    created: z
      .boolean()
      .openapi({ description: "False: a job with the same dedup key or id already existed." }),
    status: jobStatusSchema.nullable(),
    job: jobSchema
      .optional()
      .openapi({ description: "The job as it is after the wait that Prefer asked for." }),
  })
  .openapi("Added");

export const addedJobsSchema = z.object({ jobs: z.array(addedSchema).readonly() }).openapi("AddedJobs");

export const retryJobSchema = z
  .strictObject({
    fromStage: z.string().min(1).max(100).optional().openapi({
      description: "An earlier stage to start from; by default the one where the job ended.",
    }),
  })
  .openapi("RetryJob");

export const cancelledJobSchema = z
  .object({
    id: jobIdSchema,
    answer: z.enum(["cancelled", "cancel_requested"]).openapi({
      description: "A job that is processing is asked to stop, and forced to after a grace period of 30 s.",
    }),
  })
  .openapi("CancelledJob");

export const retriedJobSchema = z
  .object({ id: jobIdSchema, answer: z.enum(["applied"]) })
  .openapi("RetriedJob");

export const forkJobSchema = z
  .strictObject({
    fromStage: z.string().min(1).max(100).optional().openapi({
      description: "The stage to start from, up to the one where the job ended; by default the first.",
    }),
  })
  .openapi("ForkJob");

export const forkedJobSchema = z
  .object({ id: jobIdSchema.openapi({ description: "Of the new job." }), forkedFrom: jobIdSchema })
  .openapi("ForkedJob");

export const branchesSchema = z
  .object({
    data: z
      .array(
        z
          .object({
            stage: z
              .string()
              .openapi({ description: "The stage of the job that waits for it, or has waited." }),
            branch: z.string().nullable().openapi({ description: "Null: the stage ran a single child." }),
            jobId: jobIdSchema,
            pipeline: z.string().nullable().openapi({ description: "Null: it is past its retention." }),
            status: jobStatusSchema.nullable(),
            onFailure: z.enum(["fail", "continue", "ignore"]),
            batchId: z.string().openapi({
              description: "Children that began together have one batch; a stage that ran again has several.",
            }),
            beganAt: instantSchema,
            finishedAt: instantSchema.nullable(),
          })
          .openapi("Branch"),
      )
      .readonly(),
  })
  .openapi("Branches");

export const reasonsSchema = z
  .object({
    data: z
      .array(
        z.object({
          reason: z.string(),
          explanation: z.string(),
          detail: z.record(z.string(), z.unknown()),
        }),
      )
      .readonly(),
  })
  .openapi("Reasons");

export const effectsSchema = z
  .object({
    data: z
      .array(
        z.object({
          key: z.string(),
          state: z.enum(["running", "unknown", "stopped", "done"]),
          idempotencyKey: z.string(),
          starts: z.int(),
          startedAt: instantSchema,
          endedAt: instantSchema.nullable(),
          value: z.unknown(),
        }),
      )
      .readonly(),
  })
  .openapi("Effects");

export type JobAnswer = z.infer<typeof jobSchema>;
export type JobSummaryAnswer = z.infer<typeof jobSummarySchema>;
export type BranchesAnswer = z.infer<typeof branchesSchema>;
export type JobPageAnswer = z.infer<typeof jobPageSchema>;
export type AddJobRequest = z.input<typeof addJobSchema>;
export type AddJobsRequest = z.input<typeof addJobsSchema>;
export type AddedAnswer = z.infer<typeof addedSchema>;
