import type { GrayImage } from "./gray-image.ts";

const sampleEvery = 7;
// In shades of 255: paper that a good scanner saw is flatter than that.
const visibleGrain = 8;
const mostGrainShare = 0.02;
// More than grain makes between neighbours, less than ink does.
const alike = 40;

/** Takes specks and grain out of a picture that has them; others stay as sharp as they are. */
export function cleanImage(image: GrayImage, inkDivide: number): GrayImage {
  return isGrainy(image, inkDivide) ? softened(withoutSpecks(image)) : image;
}

/** Whether paper, away from ink, is uneven from one pixel to the next. */
function isGrainy({ width, height, pixels }: GrayImage, inkDivide: number): boolean {
  let [paper, grain] = [0, 0];
  for (let at = width + 1; at < width * (height - 1) - 1; at += sampleEvery) {
    const around = [at - 1, at + 1, at - width, at + width].map((near) => pixels[near] ?? 0);
    if (Math.min(...around) <= inkDivide) continue;
    paper++;
    const mean = around.reduce((sum, pixel) => sum + pixel, 0) / around.length;
    if (Math.abs((pixels[at] ?? 0) - mean) > visibleGrain) grain++;
  }
  return grain > paper * mostGrainShare;
}

/** A pixel that at most one neighbour is like is a speck. In the thinnest stroke each has two, which a median loses. */
function withoutSpecks(image: GrayImage): GrayImage {
  const { pixels } = image;
  const around = neighbours(image);
  return eachInside(image, (at) => {
    const here = pixels[at] ?? 0;
    let like = 0;
    for (const step of around) if (Math.abs((pixels[at + step] ?? 0) - here) < alike) like++;
    if (like > 1) return here;
    const shades = around.map((step) => pixels[at + step] ?? 0).sort((one, other) => one - other);
    return ((shades[3] ?? 0) + (shades[4] ?? 0)) >> 1;
  });
}

/** Each pixel mixed with those around it, the nearer the more. */
function softened(image: GrayImage): GrayImage {
  const { pixels } = image;
  const around = neighbours(image);
  return eachInside(image, (at) => {
    let sum = 4 * (pixels[at] ?? 0);
    for (let index = 0; index < 8; index++)
      sum += (index < 4 ? 2 : 1) * (pixels[at + (around[index] ?? 0)] ?? 0);
    return sum >> 4;
  });
}

/** Steps to the pixels that touch one: the four by a side first, then the four by a corner. */
function neighbours({ width }: GrayImage): number[] {
  return [-1, 1, -width, width, -width - 1, -width + 1, width - 1, width + 1];
}

/** The outermost pixels, which have no eight neighbours, stay as they are. */
function eachInside({ width, height, pixels }: GrayImage, shade: (at: number) => number): GrayImage {
  const changed = Uint8Array.from(pixels);
  for (let y = 1; y < height - 1; y++) {
    for (let at = y * width + 1; at < (y + 1) * width - 1; at++) changed[at] = shade(at);
  }
  return { width, height, pixels: changed };
}
