import { z } from "zod";
import { plainLine, plainText } from "../facts/plain-text.ts";

/** The form in which every question is answered. Without lengths: not every provider's schemas know them. */
export const analysisAnswer = z.object({
  summary: z.string().describe("The answer in two to five sentences."),
  points: z.array(z.string()).describe("Its single points, the most important first; at most ten."),
  confidence: z.enum(["low", "medium", "high"]).describe("How well the page supports the answer."),
});

export type AnalysisAnswer = z.infer<typeof analysisAnswer>;

/** As it may be stored and shown: what a model writes is a stranger's text like that of a page. */
export function cleanAnswer({ summary, points, confidence }: AnalysisAnswer): AnalysisAnswer {
  return {
    summary: plainText(summary, 4_000),
    points: points
      .map((point) => plainLine(point, 500))
      .filter((point) => point !== "")
      .slice(0, 10),
    confidence,
  };
}
