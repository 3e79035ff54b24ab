import { expect, test } from "vitest";
import { cleanImage } from "./clean-image.ts";
import { findSkew } from "./find-skew.ts";
import type { GrayImage } from "./gray-image.ts";
import { inkOf } from "./ink.ts";
import { levelPaper } from "./level-paper.ts";
import { turnImage } from "./turned-image.ts";

function draw(width: number, height: number, shade: (x: number, y: number) => number): GrayImage {
  const pixels = Uint8Array.from({ length: width * height }, (_, at) =>
    shade(at % width, Math.floor(at / width)),
  );
  return { width, height, pixels };
}

/** Lines of words, as a page has them. */
const text = draw(600, 400, (x, y) =>
  y % 20 < 6 && x % 50 < 40 && x > 40 && x < 560 && y > 30 && y < 370 ? 0 : 255,
);

test.each([0, 2.3, -4.7])("lines that are turned by %d degrees are found to be", (degrees) => {
  const ink = inkOf(turnImage(text, 0, -degrees));
  const level = findSkew(ink, { sideways: false });
  expect(level.degrees).toBeCloseTo(degrees, 0.5);
  expect(level.score).toBeGreaterThan(findSkew(ink, { sideways: true }).score * 1.2);
});

test("lines that run down the page are found to, with their skew", () => {
  const ink = inkOf(turnImage(text, 3, -1.5));
  const sideways = findSkew(ink, { sideways: true });
  expect(sideways.degrees).toBeCloseTo(1.5, 0.5);
  expect(sideways.score).toBeGreaterThan(findSkew(ink, { sideways: false }).score * 1.2);
});

test.each([0, 1, 2, 3])("a picture that is turned by %d quarters knows the way back", (quarters) => {
  const turned = turnImage(text, quarters, 0);
  expect([turned.width, turned.height]).toEqual(quarters % 2 === 0 ? [600, 400] : [400, 600]);
  for (const [x, y] of [
    [3, 5],
    [200, 100],
    [399, 399],
  ] as const) {
    const from = turned.back(x + 0.5, y + 0.5);
    const before = text.pixels[Math.floor(from.y) * text.width + Math.floor(from.x)];
    expect(turned.pixels[y * turned.width + x]).toBe(before);
  }
});

test("the way back from a slight turn leads to where a point was", () => {
  const { back } = turnImage(text, 0, 30);
  expect(back(300, 200)).toEqual({ x: 300, y: 200 });
  const { x, y } = back(400, 200);
  expect([x, y]).toEqual([expect.closeTo(300 + 100 * Math.cos(Math.PI / 6)), expect.closeTo(250)]);
});

/** A grain that is the same every time and has no pattern a filter could meet. */
const grain = (x: number, y: number) => ((x * 7_919 + y * 104_729 + ((x * y) % 31) * 613) % 41) - 20;

test("specks and grain go, and a stroke of one pixel stays", () => {
  const noisy = draw(300, 300, (x, y) => {
    if (x === 150) return 20;
    if (x % 37 === 5 && y % 29 === 7) return 0;
    return 215 + grain(x, y);
  });
  const { pixels } = cleanImage(noisy, 120);
  const at = (x: number, y: number) => pixels[y * 300 + x] ?? -1;
  expect(at(42, 36)).toBeGreaterThan(180);
  expect(Math.max(...Array.from({ length: 298 }, (_, y) => at(150, y + 1)))).toBeLessThan(140);
});

test("a picture without grain is left as it is", () => {
  expect(cleanImage(text, 120)).toBe(text);
  expect(levelPaper(text)).toBe(text);
});

test("paper in a shadow becomes as light as the rest, and ink stays ink", () => {
  const shadowed = draw(600, 400, (x, y) =>
    Math.round(((text.pixels[y * 600 + x] ?? 0) * (255 - x / 5)) / 255),
  );
  const { pixels } = levelPaper(shadowed);
  const row = 15;
  expect(shadowed.pixels[row * 600 + 590]).toBeLessThan(140);
  for (const x of [5, 150, 300, 450, 595]) expect(pixels[row * 600 + x]).toBeGreaterThan(235);
  expect(pixels[42 * 600 + 455]).toBeLessThan(30);
});
