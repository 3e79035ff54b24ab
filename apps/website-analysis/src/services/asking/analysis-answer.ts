import { z } from "zod";
import { plainLine, plainText } from "../facts/plain-text.ts";

const confidences = ["low", "medium", "high"] as const;
export type Confidence = (typeof confidences)[number];

/** The form in which a model answers every question. Without lengths: not every provider's schemas know them. */
export const modelAnswer = z.object({
  summary: z.string().describe("The answer in two to five sentences."),
  points: z.array(z.string()).describe("Its single points, the most important first; at most ten."),
  confidence: z.enum(confidences).describe("How well the page supports the answer."),
});

/** One thing that is said of a page. */
export interface AnswerPoint {
  readonly text: string;
  /** The words of the page that show it; null where the analyst names none. */
  readonly evidence: string | null;
  /** How sure this point is; null where only the whole answer says. */
  readonly confidence: Confidence | null;
}

/** The answer to a question, whoever gave it. */
export interface AnalysisAnswer {
  readonly summary: string;
  readonly points: readonly AnswerPoint[];
  readonly confidence: Confidence;
}

/** As it may be stored and shown: what a model writes is a stranger's text like that of a page. */
export function cleanAnswer({ summary, points, confidence }: z.infer<typeof modelAnswer>): AnalysisAnswer {
  return {
    summary: plainText(summary, 4_000),
    points: points
      .map((point) => plainLine(point, 500))
      .filter((point) => point !== "")
      .slice(0, 10)
      .map((text) => ({ text, evidence: null, confidence: null })),
    confidence,
  };
}
