import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { hearNode, programOf } from "../../run-command.ts";
import { filesBelow, read } from "../page.ts";
import { referenceName, referencePackages } from "../reference/reference-packages.ts";
import { anchorOf } from "./anchor.ts";
import { placeOf } from "./place-links.ts";
import { sidebarOf } from "./sidebar.ts";

test("the sidebar has the groups and the order of docs/README.md", () => {
  const index =
    "# Pages\n\n## Begin\n\n| page |\n| --- |\n| [b.md](b.md) |\n| [a](sub/README.md) |\n\n## Go on\n";
  expect(sidebarOf(index, (page) => `of ${page}`)).toEqual([
    {
      text: "Begin",
      items: [
        { text: "of b.md", link: "/b" },
        { text: "of sub/README.md", link: "/sub/" },
      ],
    },
    { text: "Go on", items: [] },
  ]);
  const listed = sidebarOf(read("docs/README.md")).flatMap(({ items }) => items);
  expect(listed.length).toBeGreaterThan(25);
  expect(listed.filter(({ text }) => text.endsWith(".md"))).toEqual([]);
});

test.each([
  ["limits.md#turns", "adding.md", "limits.md#turns"],
  ["decisions/README.md", "lifecycle.md", "decisions/index.md"],
  ["../README.md#pages", "decisions/0001-a.md", "../index.md#pages"],
  ["#turns", "limits.md", "#turns"],
  ["https://example.org/a.ts", "limits.md", "https://example.org/a.ts"],
  ["../README.md", "lifecycle.md", null],
  ["../packages/server/src/listen.ts", "security.md", null],
  ["screenshots", "console.md", null],
])("a link to %s in %s leads to %s in the site", (href, page, placed) => {
  expect(placeOf(href, page)).toBe(placed);
});

// VitePress itself fails on a link to a page that is not there.
test("the site is built of every page, with no dead link and a search", { timeout: 180_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "lockstep-docs-site-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const { code, output } = await hearNode([...programOf("vitepress"), "build", "docs", "--outDir", folder]);
  expect(output).not.toMatch(/dead link/);
  expect(code, output).toBe(0);
  const written = filesBelow("docs", ".md").filter((page) => !page.includes("["));
  for (const page of written) {
    const html = page
      .slice("docs/".length)
      .replace(/README\.md$/, "index.md")
      .replace(/\.md$/, ".html");
    const [, title = ""] = /^# (\w+)/m.exec(read(page)) ?? [];
    expect(await readFile(join(folder, html), "utf8"), html).toContain(title);
  }
  for (const [packageName, folderName] of Object.entries(referencePackages)) {
    const html = await readFile(join(folder, "reference", `${referenceName(packageName)}.html`), "utf8");
    const [, name = "none"] =
      /export (?:type )?\{[^}]*?(?:type )?(\w+)/.exec(read(`packages/${folderName}/src/index.ts`)) ?? [];
    expect(html, packageName).toContain(`id="${anchorOf(name)}"`);
  }
});
