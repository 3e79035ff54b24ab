const word = /[\p{L}\p{N}\p{M}]+(?:['’_-][\p{L}\p{N}\p{M}]+)*/gu;
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
// A segmenter copies its whole text for every segment it gives: long ones would fill the memory.
const pieceLength = 200;
const segmenter = new Intl.Segmenter("ja", { granularity: "word" });

/** The words of a text; by a dictionary where, as in Japanese and Thai, no spaces part them. */
export function wordsOf(text: string): string[] {
  const found = text.match(word) ?? [];
  return unspaced.test(text) ? found.flatMap((run) => (unspaced.test(run) ? segmented(run) : [run])) : found;
}

function segmented(run: string): string[] {
  const words: string[] = [];
  for (let from = 0; from < run.length; from += pieceLength) {
    for (const { segment, isWordLike } of segmenter.segment(run.slice(from, from + pieceLength))) {
      if (isWordLike) words.push(segment);
    }
  }
  return words;
}
