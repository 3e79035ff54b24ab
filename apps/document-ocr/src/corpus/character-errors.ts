import { editDistance } from "../boosting/similarity.ts";

/**
 * Errors by letters of the truth, from 0: what would have to be put in, taken out or changed. Line ends count as blanks,
 * and the shape of quotation marks and dashes does not count.
 */
export function characterErrorRate(read: string, truth: string): number {
  const expected = comparable(truth);
  return expected.length === 0 ? 0 : editDistance(comparable(read), expected) / expected.length;
}

function comparable(text: string): string {
  return text
    .normalize("NFC")
    .replace(/[‘’‚]/g, "'")
    .replace(/[“”„]/g, '"')
    .replace(/[‐‑–—]/g, "-")
    .replace(/\s+/g, " ")
    .trim();
}
