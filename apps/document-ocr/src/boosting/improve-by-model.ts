import type { BoostedPage } from "./boosted-page.ts";
import { similarity } from "./similarity.ts";
import type { TextModel } from "./text-model.ts";

// A page that was read badly differs by a few letters in a hundred; more than that was made up or left out.
const leastSimilarity = 0.9;
const mostCharacters = 10_000;

/** The model's text where it stays with what was read, else the local one with a note that says why. */
export async function improveByModel(
  local: BoostedPage,
  model: TextModel,
  signal: AbortSignal,
): Promise<BoostedPage> {
  if (local.text.trim() === "") return local;
  if (local.text.length > mostCharacters) {
    return { ...local, note: `The page has more than ${mostCharacters} characters and no model was asked.` };
  }
  const text = (await model.improve(local.text, { page: local.page, signal })).trim();
  const alike = similarity(local.text, text);
  if (alike < leastSimilarity) {
    const percent = Math.floor(alike * 100);
    return {
      ...local,
      note: `The model's text was not taken: only ${percent} % of it is what was read, and ${leastSimilarity * 100} % is the least.`,
    };
  }
  const changed = changedNumber(local.text, text);
  if (changed !== null) {
    return {
      ...local,
      note: `The model's text was not taken: its numbers are not those that were read (${changed}).`,
    };
  }
  return { ...local, text, source: "model" };
}

/** A changed figure is one letter, and the worst thing to make up. */
function changedNumber(read: string, improved: string): string | null {
  const numbers = (text: string) => (text.match(/\d+/g) ?? []).sort();
  const [before, after] = [numbers(read), numbers(improved)];
  const at = before.findIndex((number, index) => number !== after[index]);
  if (at === -1 && before.length === after.length) return null;
  return `${before[at] ?? "none"} became ${after[at === -1 ? before.length : at] ?? "none"}`;
}
