import { z } from "zod";
import { languages } from "./reading/languages.ts";
import { parseSource } from "./services/document-source.ts";

/** What a job is given: where the document is, and what it is written in if that is known. */
export const documentOcrPayload = z.strictObject({
  source: z
    .string()
    .max(2_048)
    .refine((text) => parseSource(text) !== null, {
      error:
        "must be an address such as https://example.com/letter.pdf, sample:letter.pdf, folder:NAME.pdf, register:ID, or upload:SHA256",
    })
    .default("sample:letter.pdf")
    .meta({
      title: "Source",
      description:
        "An address such as https://example.com/letter.pdf, sample:letter.pdf, or folder:NAME.pdf of the watched folder",
    }),
  language: z.enum(languages).optional().meta({
    title: "Language",
    description:
      "The language to read scanned pages in; without it each page is read in the one that it is found to be in",
  }),
});

export type DocumentOcrPayload = z.infer<typeof documentOcrPayload>;
