import { z } from "@hono/zod-openapi";
import { instantSchema } from "./instant.ts";
import { jobIdSchema } from "./jobs.ts";

/** What a stream may carry: entries of the realtime log ("jobs"), and states of which the latest counts. */
export const eventTopics = ["jobs", "stats", "workers", "rows", "list"] as const;
export type EventTopic = (typeof eventTopics)[number];

const listed = <Item extends z.ZodType<string, string>>(item: Item, most: number) =>
  z
    .string()
    .max(10_000)
    .transform((text) => text.split(",").filter((part) => part !== ""))
    .pipe(z.array(item).max(most));

export const eventsQuery = z.object({
  topics: listed(z.enum(eventTopics), eventTopics.length)
    .optional()
    .openapi({
      type: "string",
      description: `One or more of ${eventTopics.join(", ")}, separated by commas; jobs by default.`,
      example: "jobs,stats",
    }),
  owner: z.string().min(1).max(255).optional().openapi({ description: "Only events of this owner's jobs." }),
  pipeline: z.string().min(1).max(100).optional(),
  jobId: jobIdSchema.optional(),
  after: z.string().min(1).max(20_000).optional().openapi({
    description:
      "The cursor of the last message received, or start for the oldest that is kept; by default from now on.",
  }),
  watch: listed(z.uuid(), 100).optional().openapi({
    type: "string",
    description: "For rows: the ids of at most 100 jobs, separated by commas.",
  }),
  filter: z.string().max(2_000).optional().openapi({ description: "For list: what the list shows." }),
  newest: jobIdSchema.optional().openapi({ description: "For list: the newest job that it shows." }),
  token: z
    .string()
    .max(3_000)
    .optional()
    .openapi({ description: "An owner's or a job's token, for clients that cannot send a header." }),
});

export const eventsHeaders = z.object({
  "last-event-id": z.string().max(20_000).optional().openapi({
    description: "Sent by browsers when they reconnect; takes precedence over after.",
  }),
});

export const jobEventSchema = z
  .object({
    kind: z.string().openapi({ example: "job.completed" }),
    at: instantSchema,
    jobId: jobIdSchema,
    pipeline: z.string(),
    stage: z.string(),
    owner: z.string().nullable(),
    detail: z
      .record(z.string(), z.unknown())
      .openapi({ description: "Such as attempt, percent, note, error, result." }),
  })
  .openapi("JobEvent");

/** What there is now, for those whom no stream reaches. */
export const eventPageSchema = z
  .object({
    data: z
      .array(
        z.union([
          z.object({ type: z.literal("job"), cursor: z.string(), event: jobEventSchema }),
          z.object({ type: z.literal("reset"), cursor: z.string() }),
        ]),
      )
      .readonly(),
    cursor: z.string().openapi({ description: "For after of the next request." }),
    hasMore: z.boolean(),
  })
  .openapi("EventPage");

export type JobEventAnswer = z.infer<typeof jobEventSchema>;
export type EventPageAnswer = z.infer<typeof eventPageSchema>;
