/** The characters of an address, one at a time. */
export type Characters = Pick<string, "length" | "charCodeAt">;

/**
 * A path as a rule of robots.txt names it: `*` is anything, `$` at the end is the end, and what follows the pattern is open
 * otherwise. Whoever writes the rule also chooses the path, by a redirect, so a match looks at each character of the path
 * three times at most, whatever both are.
 */
export class RobotsPattern {
  /** Decides between rules that match: the longer one does. */
  readonly length: number;
  /** What stands between the stars. */
  readonly #pieces: readonly string[];
  readonly #isWhole: boolean;
  readonly #leastCharacters: number;

  constructor(text: string) {
    const written = withPlainEscapes(text);
    this.length = written.length;
    this.#isWhole = written.endsWith("$");
    const [first = "", ...others] = (this.#isWhole ? written.slice(0, -1) : written).split("*");
    const last = others.pop();
    // Several stars in a row are one.
    this.#pieces = [first, ...others.filter((piece) => piece !== ""), ...(last === undefined ? [] : [last])];
    this.#leastCharacters = this.#pieces.reduce((sum, piece) => sum + piece.length, 0);
  }

  /** Whether a path of this length could match at all. */
  fitsInto(pathLength: number): boolean {
    return this.#leastCharacters <= pathLength;
  }

  matches(path: Characters): boolean {
    const [first = "", ...others] = this.#pieces;
    if (!this.fitsInto(path.length) || !standsAt(path, first, 0)) return false;
    if (others.length === 0) return !this.#isWhole || first.length === path.length;
    const last = this.#isWhole ? others.pop() : undefined;
    let at = first.length;
    for (const piece of others) {
      // The leftmost place leaves the most for the pieces to come, so no other needs to be tried.
      at = endOf(piece, path, at);
      if (at === -1) return false;
    }
    return (
      last === undefined ||
      (at <= path.length - last.length && standsAt(path, last, path.length - last.length))
    );
  }
}

/** Both sides are compared with their escapes in capitals, and what needs one has one. */
export function withPlainEscapes(path: string): string {
  return encodeURI(path.toWellFormed())
    .replace(/%25/g, "%")
    .replace(/%[0-9a-f]{2}/gi, (code) => code.toUpperCase());
}

function standsAt(path: Characters, piece: string, at: number): boolean {
  for (let index = 0; index < piece.length; index += 1) {
    if (path.charCodeAt(at + index) !== piece.charCodeAt(index)) return false;
  }
  return true;
}

/** Where the first occurrence from there on ends, or -1; after Knuth, Morris and Pratt, who never go back in the path. */
function endOf(piece: string, path: Characters, from: number): number {
  if (piece === "") return from;
  const borders = bordersOf(piece);
  let matched = 0;
  for (let index = from; index < path.length; index += 1) {
    const code = path.charCodeAt(index);
    while (matched > 0 && piece.charCodeAt(matched) !== code) matched = borders[matched - 1] ?? 0;
    if (piece.charCodeAt(matched) === code) matched += 1;
    if (matched === piece.length) return index + 1;
  }
  return -1;
}

/** For each beginning of the piece: how much of its end is also its start. */
function bordersOf(piece: string): Uint32Array {
  const borders = new Uint32Array(piece.length);
  let border = 0;
  for (let index = 1; index < piece.length; index += 1) {
    while (border > 0 && piece.charCodeAt(index) !== piece.charCodeAt(border))
      border = borders[border - 1] ?? 0;
    if (piece.charCodeAt(index) === piece.charCodeAt(border)) border += 1;
    borders[index] = border;
  }
  return borders;
}
