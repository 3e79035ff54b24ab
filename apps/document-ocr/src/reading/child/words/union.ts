import { type Box, round } from "../../page-text.ts";

/** The smallest box that holds them all. */
export function union(boxes: readonly Box[]): Box {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { x, y, width, height } of boxes) {
    left = Math.min(left, x);
    top = Math.min(top, y);
    right = Math.max(right, x + width);
    bottom = Math.max(bottom, y + height);
  }
  return { x: round(left), y: round(top), width: round(right - left), height: round(bottom - top) };
}
