import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults, RunOptions } from "axe-core";

/** A page of a browser, as Playwright has it. */
export interface ScriptedPage {
  evaluate<Result>(script: string): Promise<Result>;
}

const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
let source: string | undefined;

/** What axe finds on the page as it is now, in lines: by all rules, or by some. The page keeps axe until it is left. */
export async function axeFindings(
  page: ScriptedPage,
  look: string,
  rules?: readonly string[],
): Promise<string[]> {
  source ??= readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(source);
  const runOnly: RunOptions["runOnly"] =
    rules === undefined ? { type: "tag", values: tags } : { type: "rule", values: [...rules] };
  const options: RunOptions = { runOnly, resultTypes: ["violations"] };
  const { violations } = await page.evaluate<AxeResults>(`axe.run(document, ${JSON.stringify(options)})`);
  return violations.map(({ id, nodes }) => `${look}: ${id} ${nodes[0]?.html.slice(0, 200)}`);
}
