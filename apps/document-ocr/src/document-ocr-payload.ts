import { z } from "zod";
import { parseSource } from "./services/document-source.ts";

/** What a job is given: where the document is. */
export const documentOcrPayload = z.strictObject({
  source: z
    .string()
    .max(2_048)
    .refine((text) => parseSource(text) !== null, {
      error:
        "must be an address such as https://example.com/letter.pdf, sample:letter.pdf, folder:NAME.pdf, or upload:SHA256",
    })
    .default("sample:letter.pdf")
    .meta({
      title: "Source",
      description:
        "An address such as https://example.com/letter.pdf, sample:letter.pdf, or folder:NAME.pdf of the watched folder",
    }),
});

export type DocumentOcrPayload = z.infer<typeof documentOcrPayload>;
