import { z } from "zod";
import { questionIds } from "./services/asking/questions.ts";

/** What a job is given: an address, and which questions to ask if not all. */
export const websiteAnalysisPayload = z.strictObject({
  url: z
    .url({ protocol: /^https?$/, error: "must be a whole address, such as https://example.com" })
    .max(2_048)
    // An address is kept, shown and shared; what is in it for its server alone is not.
    .regex(/^https?:\/\/[^/?#@\\\s]+([/?#\\]|$)/i, "must have no user name and no password in it")
    .describe("The page to analyse, such as https://example.com"),
  questions: z
    .array(z.enum(questionIds))
    .min(1)
    .max(questionIds.length)
    .optional()
    .describe("Which questions to ask; all of them when left out"),
});

export type WebsiteAnalysisPayload = z.infer<typeof websiteAnalysisPayload>;
