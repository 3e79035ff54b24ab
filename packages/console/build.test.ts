import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import { ensureConsole } from "./index.js";

interface Chunk {
  readonly file: string;
  readonly isEntry?: boolean;
  readonly imports?: readonly string[];
  readonly dynamicImports?: readonly string[];
  readonly css?: readonly string[];
}

let folder = "";
let manifest: Record<string, Chunk> = {};

beforeAll(async () => {
  folder = await ensureConsole();
  manifest = JSON.parse(readFileSync(join(folder, ".vite/manifest.json"), "utf8"));
});

describe("what a browser loads first", () => {
  // The page that is opened comes with the rest, so each is counted with it.
  test("is at most 180 KB of JavaScript and 20 KB of CSS, whatever page is opened", () => {
    const [entry] = Object.keys(manifest).filter((name) => manifest[name]?.isEntry);
    const pages = (manifest[entry ?? ""]?.dynamicImports ?? []).filter((name) => name.includes("/pages/"));
    expect(pages.length).toBeGreaterThan(10);
    for (const page of pages) {
      const chunks = [...new Set([...withImports(entry ?? ""), ...withImports(page)])];
      const scripts = chunks.map((name) => manifest[name]?.file ?? "");
      const styles = [...new Set(chunks.flatMap((name) => manifest[name]?.css ?? []))];
      expect(kilobytes(scripts), page).toBeLessThan(180);
      expect(kilobytes(styles), page).toBeLessThan(20);
    }
  });

  test("has no script and no style inside the page, which a strict policy would refuse", () => {
    const html = readFileSync(join(folder, "index.html"), "utf8");
    expect(html).not.toMatch(/<style|style=|<script(?![^>]*\bsrc=)|\bon\w+=/);
    expect(html).not.toMatch(/(src|href)="(?!\.\/)/);
  });

  test("names every asset by its content, so that it can be kept for ever", () => {
    for (const name of readdirSync(join(folder, "assets")))
      expect(name).toMatch(/-[\w-]{8}\.(js|css|woff2)$/);
  });
});

test("a console that is as new as its source is not built again", async () => {
  const index = join(folder, "index.html");
  const builtAt = statSync(index).mtimeMs;
  await ensureConsole();
  expect(statSync(index).mtimeMs).toBe(builtAt);
});

function withImports(name: string, seen = new Set<string>()): string[] {
  if (seen.has(name)) return [];
  seen.add(name);
  return [name, ...(manifest[name]?.imports ?? []).flatMap((each) => withImports(each, seen))];
}

function kilobytes(files: readonly string[]): number {
  const bytes = files.map((file) => gzipSync(readFileSync(join(folder, file))).length);
  return bytes.reduce((sum, size) => sum + size, 0) / 1_024;
}
