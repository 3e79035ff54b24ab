import { plainLine, plainText } from "../facts/plain-text.ts";

/** An answer, or what has come of it, as it is read while it comes: the summary, and a line for each point. */
export function answerWords({
  summary = "",
  points = [],
}: {
  readonly summary?: string | undefined;
  readonly points?: readonly (string | undefined)[] | undefined;
}): string {
  const lines = points.map((point = "") => plainLine(point, 500)).filter((point) => point !== "");
  return [plainText(summary, 4_000), ...lines.map((line) => `– ${line}`)].join("\n");
}
