// axe in a real browser, over every page with something on it. In real time.
import { axeFindings, testDatabase } from "@lockstep/test-support";
import type { Page } from "@playwright/test";
import { expect, test } from "vitest";
import { describeInBrowser, storyBrowser } from "./browser.ts";
import { consolePages } from "./console-pages.ts";
import { workingSite } from "./console-site.ts";
import { furnishedPipelines } from "./demo-pipelines.ts";
import { furnish } from "./furnish.ts";
import { isDrawn } from "./is-drawn.ts";

const narrowRules = ["target-size", "scrollable-region-focusable"];
const atOnce = 2;

describeInBrowser("accessibility", () => {
  const db = testDatabase();
  const browser = storyBrowser();

  test("axe finds nothing on any page, light or dark, wide or narrow, and nothing has to be pushed sideways", async () => {
    const { url, engine } = await workingSite(db, {
      engine: { pipelines: furnishedPipelines, workerName: "worker-1" },
      server: { links: ["Documents", "x".repeat(80)].map((title) => ({ title, url: "/documents" })) },
    });
    const places = await furnish(engine);
    const left = [...Object.values(consolePages(places)), "/nowhere"];
    const findings: string[] = [];
    const look = async () => {
      // Without motion a theme is there at once. Of a window's tabs only one is drawn, so each has its own.
      const page = await browser.open(url, { colorScheme: "light", reducedMotion: "reduce" });
      for (let path = left.shift(); path !== undefined; path = left.shift()) {
        await page.goto(url + path);
        await isDrawn(page);
        findings.push(...(await findingsOf(page, path)));
      }
    };
    await Promise.all(Array.from({ length: atOnce }, look));
    expect(findings).toEqual([]);
  }, 300_000);
});

async function findingsOf(page: Page, path: string): Promise<string[]> {
  await page.setViewportSize({ width: 1_440, height: 900 });
  const light = await axeFindings(page, `light ${path}`);
  // The rest does not depend on the colours, nor on the width.
  await page.evaluate('document.documentElement.dataset.theme = "dark"');
  const dark = await axeFindings(page, `dark ${path}`, ["color-contrast"]);
  await page.setViewportSize({ width: 320, height: 800 });
  const narrow = await axeFindings(page, `narrow ${path}`, narrowRules);
  const narrowest = await fits(page);
  await page.evaluate(pseudoLanguage);
  const turned = await fits(page);
  return [
    ...light,
    ...dark,
    ...narrow,
    ...(narrowest ? [] : [`${path} is wider than a narrow screen`]),
    ...(turned ? [] : [`${path} is wider than a narrow screen in a longer language from right to left`]),
  ];
}

/** Whether nothing has to be pushed sideways. Tables become cards a moment after the width has changed. */
async function fits(page: Page): Promise<boolean> {
  const isNarrow = "document.documentElement.scrollWidth <= document.documentElement.clientWidth";
  return await page.waitForFunction(isNarrow, null, { timeout: 5_000 }).then(
    () => true,
    () => false,
  );
}

// From right to left, and every word a third longer, as it is in many languages.
const pseudoLanguage = `(() => {
  document.documentElement.dir = "rtl";
  const words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (words.nextNode()) {
    const { currentNode } = words;
    currentNode.nodeValue = currentNode.nodeValue.replace(/[a-z]{3,}/gi, (word) => word + "~".repeat(word.length / 3));
  }
})()`;
