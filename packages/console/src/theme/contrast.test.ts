import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

const css = readFileSync(new URL("./tokens.css", import.meta.url), "utf8");
const statuses = [
  "scheduled",
  "pending",
  "processing",
  "retrying",
  "completed",
  "failed",
  "cancelled",
  "paused",
];

/** Text on surface, and what WCAG 2.2 AA asks of it. */
const pairs: [text: string, surfaces: string[], least: number][] = [
  ["ink", ["page", "panel", "raised", "well", "selected"], 7],
  ["muted", ["page", "panel", "raised", "well", "selected"], 4.5],
  ["primary", ["page", "panel", "raised", "selected"], 4.5],
  ["on-primary", ["primary", "primary-strong"], 4.5],
  ["danger", ["page", "panel", "raised"], 4.5],
  ["on-danger", ["danger"], 4.5],
  ["edge", ["page", "panel", "raised"], 3],
  ["focus", ["page", "panel", "raised", "well", "selected"], 3],
  ...statuses.map((status): [string, string[], number] => [status, ["page", "panel", "well"], 4.5]),
];

for (const theme of ["light", "dark"]) {
  const tokens = tokensOf(theme);
  describe(`in the ${theme} theme`, () => {
    test.each(pairs)("%s can be read on %s", (text, surfaces, least) => {
      for (const surface of surfaces) {
        expect(contrast(colour(tokens, text), colour(tokens, surface)), surface).toBeGreaterThanOrEqual(
          least,
        );
      }
    });

    test.each(statuses)("the badge of %s can be read on its own fill", (status) => {
      const fill = Number.parseFloat(tokens.get("badge-fill") ?? "") / 100;
      for (const surface of ["page", "panel"]) {
        const ink = colour(tokens, status);
        const ground = colour(tokens, surface).map((part, index) => part + ((ink[index] ?? 0) - part) * fill);
        expect(contrast(ink, ground), surface).toBeGreaterThanOrEqual(4.5);
      }
    });
  });
}

function tokensOf(theme: string): Map<string, string> {
  const block = new RegExp(`\\[data-theme="${theme}"\\] \\{([^}]*)\\}`).exec(css)?.[1] ?? "";
  return new Map(
    [...block.matchAll(/--([\w-]+):\s*([^;]+);/g)].map(([, name = "", value = ""]) => [name, value]),
  );
}

function colour(tokens: Map<string, string>, name: string): number[] {
  const value = tokens.get(name) ?? "";
  expect(value, `--${name}`).toMatch(/^#[0-9a-f]{6}$/);
  return [1, 3, 5].map((at) => Number.parseInt(value.slice(at, at + 2), 16));
}

function contrast(one: number[], other: number[]): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(parts: number[]): number {
  const [red = 0, green = 0, blue = 0] = parts.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
