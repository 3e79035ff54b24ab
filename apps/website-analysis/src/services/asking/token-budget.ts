/**
 * About how many tokens a text has. Every model counts in its own way and none of them is asked for it: four letters to
 * a token holds for English, and scripts with a sign per word or syllable have about one each.
 */
export function estimatedTokens(text: string): number {
  let quarters = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    quarters += code < 0x250 ? 1 : code < 0x2e80 ? 2 : 4;
  }
  return Math.ceil(quarters / 4);
}

/** The beginning of a text that fits, cut after a sentence if there is one in its last third, else after a word. */
export function cutToTokens(text: string, mostTokens: number): string {
  if (estimatedTokens(text) <= mostTokens) return text;
  const fitting = fittingPart(text, mostTokens);
  const sentenceEnd = Math.max(
    ...[". ", "! ", "? ", ".\n", "。", "\n\n"].map((end) => fitting.lastIndexOf(end)),
  );
  if (sentenceEnd > (fitting.length * 2) / 3) return fitting.slice(0, sentenceEnd + 1).trimEnd();
  const wordEnd = fitting.search(/\s\S*$/);
  return (wordEnd > 0 ? fitting.slice(0, wordEnd) : fitting).trimEnd();
}

function fittingPart(text: string, mostTokens: number): string {
  let least = 0;
  let most = text.length;
  while (least < most) {
    const middle = Math.ceil((least + most) / 2);
    if (estimatedTokens(text.slice(0, middle)) <= mostTokens) least = middle;
    else most = middle - 1;
  }
  return text.slice(0, least).toWellFormed();
}
