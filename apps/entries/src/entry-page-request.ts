import { z } from "zod";
import { longestTitle } from "./new-entry.ts";

const wholeNumber = (name: string, from: number, to: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, `${name} must be a whole number.`)
    .transform(Number)
    .refine((value) => value >= from && value <= to, `${name} must be from ${from} to ${to}.`);

/** Longer ones are in no title. */
const longestSearch = 20 * longestTitle;

/** The query of `GET /api/entries`. */
export const entryPageRequest = z.object({
  limit: wholeNumber("limit", 1, 200).default(50),
  offset: wholeNumber("offset", 0, 1_000_000).default(0),
  /** A part of the title, whatever its case; empty: all entries. */
  search: z
    .string()
    .trim()
    .max(longestSearch, `search has at most ${longestSearch} characters.`)
    .refine((text) => !text.includes("\0") && text.isWellFormed(), "search must be plain text.")
    .default(""),
});

export type EntryPageRequest = z.infer<typeof entryPageRequest>;
