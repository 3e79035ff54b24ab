import type { SeenLines } from "./tesseract.ts";

// Of a size: as much as it is mistaken by for a line without tall letters or with figures only.
const mistakenBy = 0.2;

/** Lines of about the same size are given the same: their sizes were measured one by one, and are set in one font. */
export function evenSizes(lines: SeenLines): SeenLines {
  const letters = lines.map((line) => ({
    size: line[0]?.fontSize ?? 0,
    count: line.reduce((sum, { text }) => sum + text.length, 0),
  }));
  const sizes: number[] = [];
  for (let rest = letters; rest.length > 0; ) {
    const middle = middleSize(rest);
    sizes.push(middle);
    rest = rest.filter(({ size }) => !isNear(size, middle));
  }
  return lines.map((line) => {
    const fontSize = sizes.find((size) => isNear(line[0]?.fontSize ?? 0, size));
    return fontSize === undefined ? line : line.map((word) => ({ ...word, fontSize }));
  });
}

function isNear(size: number, middle: number): boolean {
  return Math.abs(size - middle) <= mistakenBy * middle;
}

/** The size that half of the letters are smaller than. */
function middleSize(lines: readonly { size: number; count: number }[]): number {
  const sorted = [...lines].sort((one, other) => one.size - other.size);
  const half = sorted.reduce((sum, { count }) => sum + count, 0) / 2;
  let passed = 0;
  for (const { size, count } of sorted) {
    passed += count;
    if (passed >= half) return size;
  }
  return 0;
}
