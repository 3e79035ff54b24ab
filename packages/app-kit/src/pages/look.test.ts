import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { look } from "./look.ts";

test("every page has the colours of the console, light and dark, and uses no colour besides", async () => {
  const css = await look();
  const console = await readFile(new URL("../../../console/src/theme/tokens.css", import.meta.url), "utf8");
  expect(css).toContain(console);
  const [, dark = ""] =
    /prefers-color-scheme: dark\) \{\n:root:not\(\[data-theme="light"\]\) \{([^}]*)\}/.exec(css) ?? [];
  expect(dark).toContain("color-scheme: dark;");
  expect(dark).toContain("--page: #0e1217;");
  const components = css.slice(css.lastIndexOf(dark) + dark.length);
  expect(components).not.toMatch(/#[0-9a-f]{3,8}\b|rgb\(/i);
  const used = [...components.matchAll(/var\((--[\w-]+)/g)].map(([, name]) => name);
  for (const name of used) expect(console).toContain(`${name}:`);
});
