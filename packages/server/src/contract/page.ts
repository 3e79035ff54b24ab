import { z } from "@hono/zod-openapi";

/** The parameters of every list. */
export const pageQuery = {
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(200)
    .default(50)
    .openapi({ description: "How many rows a page has at most.", example: 50 }),
  cursor: z
    .string()
    .max(2_000)
    .optional()
    .openapi({ description: "`next` or `previous` of another page of the same list." }),
};

export const pageSchema = z
  .object({
    next: z.string().nullable().openapi({ description: "The cursor of the page after this one." }),
    previous: z.string().nullable().openapi({ description: "The cursor of the page before this one." }),
    hasMore: z.boolean(),
  })
  .openapi("Page");

/** Asks a list for how many rows there are on all its pages. */
export const countQuery = {
  count: z
    .stringbool({ truthy: ["1", "true"], falsy: ["0", "false"] })
    .optional()
    .openapi({
      type: "boolean",
      description: "Include how many there are, counted up to 10,000.",
    }),
};

export const countSchema = z
  .object({
    value: z.int(),
    exact: z.boolean(),
    capped: z.boolean().openapi({ description: "There are this many or more." }),
  })
  .openapi("Count");
