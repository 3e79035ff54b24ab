import type { Ink } from "./ink.ts";

const mostDegrees = 8;
const searches = [
  { aroundDegrees: mostDegrees, stepDegrees: 0.5 },
  { aroundDegrees: 0.5, stepDegrees: 0.1 },
  { aroundDegrees: 0.1, stepDegrees: 0.02 },
];

export interface Skew {
  /** How far the lines are turned clockwise. */
  readonly degrees: number;
  /** How sharply lines stand out at that angle. */
  readonly score: number;
}

/** The small angle at which the lines of a picture stand out most; across it, `sideways`. */
export function findSkew(ink: Ink, { sideways }: { sideways: boolean }): Skew {
  const along = sideways ? ink.ys : ink.xs;
  const across = sideways ? ink.xs : ink.ys;
  // A turn clockwise moves the right end of a line down, but the lower end of an upright one to the left.
  const direction = sideways ? -1 : 1;
  const size = ink.width + ink.height;
  let best: Skew = { degrees: 0, score: -1 };
  for (const { aroundDegrees, stepDegrees } of searches) {
    const middle = best.degrees;
    const steps = Math.round(aroundDegrees / stepDegrees);
    for (let step = -steps; step <= steps; step++) {
      const degrees = middle + step * stepDegrees;
      const score = lineScore(along, across, direction * degrees, size);
      // The smaller turn wins a draw, as on an empty page.
      if (score > best.score || (score === best.score && Math.abs(degrees) < Math.abs(best.degrees))) {
        best = { degrees, score };
      }
    }
  }
  return best;
}

/** Sums up how much the ink changes from one row to the next: most when rows run along the lines. */
function lineScore(along: Uint16Array, across: Uint16Array, degrees: number, size: number): number {
  const slope = Math.tan((degrees * Math.PI) / 180);
  const rows = new Uint32Array(size * 2);
  for (let at = 0; at < along.length; at++) {
    const row = Math.round((across[at] ?? 0) - (along[at] ?? 0) * slope) + (size >> 1);
    rows[row] = (rows[row] ?? 0) + 1;
  }
  let score = 0;
  for (let row = 1; row < rows.length; row++) {
    const change = (rows[row] ?? 0) - (rows[row - 1] ?? 0);
    score += change * change;
  }
  return score;
}
