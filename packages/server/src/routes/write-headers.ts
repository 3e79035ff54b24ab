import { z } from "@hono/zod-openapi";

/** What every write may carry. */
export const writeHeaders = z.object({
  "idempotency-key": z.string().optional().openapi({
    description: "The same key and body: the stored answer, for 24 hours. Of the caller's own choice.",
  }),
});

export const moveHeaders = writeHeaders.extend({
  "if-match": z
    .string()
    .optional()
    .openapi({ description: "The ETag of the job: the move is made only if nothing has moved it since." }),
});
