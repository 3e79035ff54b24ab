import { z } from "zod";

const wholeNumber = (name: string, from: number, to: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, `${name} must be a whole number.`)
    .transform(Number)
    .refine((value) => value >= from && value <= to, `${name} must be from ${from} to ${to}.`);

/** The query of `GET /api/entries`. */
export const entryPageRequest = z.object({
  limit: wholeNumber("limit", 1, 200).default(50),
  offset: wholeNumber("offset", 0, 1_000_000).default(0),
});

export type EntryPageRequest = z.infer<typeof entryPageRequest>;
