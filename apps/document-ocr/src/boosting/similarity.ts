/** How alike two texts are, from 0 to 1, by the letters one would have to change; blanks and line ends do not count. */
export function similarity(one: string, other: string): number {
  const [first, second] = [lettersOf(one), lettersOf(other)];
  const longer = Math.max(first.length, second.length);
  return longer === 0 ? 1 : 1 - editDistance(first, second) / longer;
}

function lettersOf(text: string): string {
  return text.normalize("NFC").replace(/\s+/g, "");
}

/** How many letters have to be put in, taken out or changed to make one text of the other. */
export function editDistance(one: string, other: string): number {
  let row = Uint32Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let at = 1; at <= one.length; at++) {
    const next = new Uint32Array(other.length + 1);
    next[0] = at;
    for (let to = 1; to <= other.length; to++) {
      const change = (row[to - 1] ?? 0) + (one.charCodeAt(at - 1) === other.charCodeAt(to - 1) ? 0 : 1);
      next[to] = Math.min(change, (row[to] ?? 0) + 1, (next[to - 1] ?? 0) + 1);
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
