import { z } from "@hono/zod-openapi";

/** What every write may carry. */
export const writeHeaders = z.object({
  "idempotency-key": z.string().optional().openapi({
    description:
      "Chosen by the caller. The same key with the same body returns the stored answer, for 24 hours.",
  }),
});

export const moveHeaders = writeHeaders.extend({
  "if-match": z
    .string()
    .optional()
    .openapi({ description: "The ETag of the job: the move is made only if the job has not moved since." }),
});
