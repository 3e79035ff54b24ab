import type { PageText } from "./page-text.ts";

const lowConfidence = 75;
const doubtful = 60;
const leastDoubtfulWords = 3;
const leastDoubtfulShare = 0.05;

/** What a reader should look at on a page, one sentence each. */
export function warningsOf({
  source,
  words,
  confidence,
  unread,
  tables,
}: Pick<PageText, "source" | "words" | "confidence" | "unread" | "tables">): string[] {
  if (source === "text-layer") return [];
  const warnings: string[] = [];
  const doubted = words.filter((word) => word.confidence < doubtful);
  if (words.length > 0 && confidence < lowConfidence) {
    warnings.push(
      `The page was read with a confidence of ${Math.round(confidence)} % only. Scan it again at 200 dpi or more if you can.`,
    );
  } else if (doubted.length >= leastDoubtfulWords && doubted.length > leastDoubtfulShare * words.length) {
    warnings.push(`${doubted.length} words are doubtful: ${doubted.slice(0, 5).map(shown).join(", ")} …`);
  }
  const cells = tables.flatMap(({ rows }) => rows.flat()).filter((cell) => cell.confidence < doubtful);
  if (cells.length > 0) {
    warnings.push(
      `${cells.length === 1 ? "1 cell of a table is" : `${cells.length} cells of tables are`} doubtful: ${cells.slice(0, 5).map(shown).join(", ")}.`,
    );
  }
  if (unread.length > 0) {
    const places = unread.length === 1 ? "1 place with ink was" : `${unread.length} places with ink were`;
    warnings.push(`${places} not read: faint letters, handwriting, stamps or pictures.`);
  }
  return warnings;
}

function shown({ text }: { text: string }): string {
  return `“${text.slice(0, 30)}”`;
}
