import { z } from "@hono/zod-openapi";
import { instantSchema } from "./instant.ts";
import { jobIdSchema } from "./jobs.ts";

const cursorSchema = z
  .string()
  .regex(/^(start|\d{1,18}\.\d{1,10})$/, "must be the cursor of a message that was received, or start");

export const streamParams = z.object({
  id: jobIdSchema,
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}$/, "must be the name of a stream")
    .openapi({ example: "analysis" }),
});

export const streamQuery = z.object({
  after: cursorSchema.optional().openapi({
    description:
      "The cursor of the last message received; by default, or with start, from the first chunk on.",
  }),
  token: z
    .string()
    .max(3_000)
    .optional()
    .openapi({ description: "An owner's or a job's token, for clients that cannot send a header." }),
});

export const streamHeaders = z.object({
  "last-event-id": cursorSchema.or(z.literal("")).optional().openapi({
    description: "Sent by browsers when they reconnect; takes precedence over after.",
  }),
});

/** What there is now, for those whom no stream reaches. */
export const streamPageSchema = z
  .object({
    data: z
      .array(
        z.union([
          z.object({
            type: z.literal("chunks"),
            cursor: z.string(),
            seq: z.int().openapi({
              description: "The number of the first of these chunks; 1 for the first of the stream.",
            }),
            chunks: z.array(z.unknown()).readonly(),
          }),
          z.object({
            type: z.literal("rewind"),
            cursor: z.string(),
            to: z.int().openapi({ description: "Of the chunks received so far, only so many count." }),
          }),
        ]),
      )
      .readonly(),
    cursor: z.string().openapi({ description: "For after of the next request." }),
    hasMore: z.boolean(),
    isOver: z.boolean().openapi({ description: "All is received, and the job has ended." }),
  })
  .openapi("StreamPage");

export const streamsSchema = z
  .object({
    data: z
      .array(
        z.object({
          name: z.string(),
          chunks: z.int(),
          bytes: z.int(),
          begunAt: instantSchema,
          writtenAt: instantSchema,
        }),
      )
      .readonly(),
  })
  .openapi("Streams");

export type StreamPageAnswer = z.infer<typeof streamPageSchema>;
export type StreamsAnswer = z.infer<typeof streamsSchema>;
