import { readFile } from "node:fs/promises";

/** Where every page finds it. */
export const lookPath = "/look.css";

// The kit is private and runs from source only, so the console's own file is there: the colours stand in one place.
const tokens = new URL("../../../console/src/theme/tokens.css", import.meta.url);
const components = new URL("./components.css", import.meta.url);

/** The look of the apps' pages: the colours of the console, dark where the system is, and components made of them. */
export async function look(): Promise<string> {
  const [colours, rules] = await Promise.all([tokens, components].map((file) => readFile(file, "utf8")));
  return `${followingTheSystem(colours ?? "")}\n${rules}`;
}

/** The console has a switch for its theme; a page without one does as the system does. */
function followingTheSystem(css: string): string {
  const [, dark] = /\[data-theme="dark"\] \{([^}]*)\}/.exec(css) ?? [];
  if (dark === undefined) throw new Error(`${tokens.pathname} has no dark theme.`);
  return `${css}\n@media (prefers-color-scheme: dark) {\n:root:not([data-theme="light"]) {${dark}}\n}\n`;
}
