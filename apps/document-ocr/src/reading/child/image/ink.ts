import type { GrayImage } from "./gray-image.ts";

/** The dark points of a picture, on a smaller grid: enough to see its lines, not its letters. */
export interface Ink {
  readonly width: number;
  readonly height: number;
  readonly xs: Uint16Array;
  readonly ys: Uint16Array;
  /** Ink is what is not lighter than this. */
  readonly divide: number;
}

const gridPoints = 1_000;

/** Shrinks by taking means, which also levels noise, and keeps what is darker than the divide between ink and paper. */
export function inkOf(image: GrayImage): Ink {
  const step = Math.max(1, Math.ceil(Math.max(image.width, image.height) / gridPoints));
  const width = Math.floor(image.width / step);
  const height = Math.floor(image.height / step);
  const means = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      let sum = 0;
      for (let dy = 0; dy < step; dy++) {
        const row = (y * step + dy) * image.width + x * step;
        for (let dx = 0; dx < step; dx++) sum += image.pixels[row + dx] ?? 255;
      }
      means[y * width + x] = sum / (step * step);
    }
  }
  const divide = inkDivide(means);
  const [xs, ys]: [number[], number[]] = [[], []];
  for (let at = 0; at < means.length; at++) {
    if ((means[at] ?? 255) > divide) continue;
    xs.push(at % width);
    ys.push(Math.floor(at / width));
  }
  return { width, height, xs: Uint16Array.from(xs), ys: Uint16Array.from(ys), divide };
}

/** The gray that parts the pixels into two groups as unlike each other as can be (Otsu). */
function inkDivide(pixels: Uint8Array): number {
  const counts = new Array<number>(256).fill(0);
  for (const pixel of pixels) counts[pixel] = (counts[pixel] ?? 0) + 1;
  const total = pixels.length;
  const sum = counts.reduce((all, count, gray) => all + count * gray, 0);
  let [dark, darkSum, best, divide] = [0, 0, 0, 127];
  for (let gray = 0; gray < 256; gray++) {
    dark += counts[gray] ?? 0;
    darkSum += gray * (counts[gray] ?? 0);
    const light = total - dark;
    if (dark === 0 || light === 0) continue;
    const apart = darkSum / dark - (sum - darkSum) / light;
    const score = dark * light * apart * apart;
    if (score > best) [best, divide] = [score, gray];
  }
  return divide;
}
