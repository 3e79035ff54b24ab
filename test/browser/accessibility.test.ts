// axe in a real browser, over every page with something on it. In real time.
import { AxeBuilder } from "@axe-core/playwright";
import { testDatabase } from "@lockstep/test-support";
import type { Page } from "@playwright/test";
import { describe, expect, test } from "vitest";
import { BrowserStage, hasBrowser, needsBrowser, seen } from "./browser-stage.ts";
import { documentOcr, websiteAnalysis } from "./demo-pipelines.ts";

const db = testDatabase();
const stage = new BrowserStage(db.url);
const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const narrowRules = ["target-size", "scrollable-region-focusable"];

describe.skipIf(!hasBrowser)(hasBrowser ? "accessibility" : `accessibility ${needsBrowser}`, () => {
  test("axe finds nothing on any page, light or dark, wide or narrow, and nothing has to be pushed sideways", async () => {
    const job = await someOfEverything();
    const { url } = await stage.serve();
    const pages = [
      ...["/", "/pipelines", "/pipelines/website-analysis", "/jobs", "/jobs?status=failed", `/jobs/${job}`],
      ...["/workers", "/schedules", "/errors", "/bulk", "/system", "/activity", "/settings", "/nowhere"],
    ];
    // Without motion a theme is there at once.
    const { page } = await stage.visit(url, { colorScheme: "light", reducedMotion: "reduce" });
    const findings: string[] = [];
    for (const path of pages) {
      await page.setViewportSize({ width: 1_440, height: 900 });
      await page.goto(url + path);
      await seen(page.getByRole("heading", { level: 1 })).toBeVisible();
      await seen(page.locator("[aria-busy=true]")).toHaveCount(0);
      findings.push(...(await found(page, `light ${path}`, { type: "tag", values: tags })));
      // The rest does not depend on the colours, nor on the width.
      await page.evaluate('document.documentElement.dataset.theme = "dark"');
      findings.push(...(await found(page, `dark ${path}`, { type: "rule", values: ["color-contrast"] })));
      await page.setViewportSize({ width: 320, height: 800 });
      findings.push(...(await found(page, `narrow ${path}`, { type: "rule", values: narrowRules })));
      const beyond = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
      if (Number(await page.evaluate(beyond)) > 0) findings.push(`${path} is wider than a narrow screen`);
    }
    expect(findings).toEqual([]);
  }, 300_000);
});

interface Chosen {
  readonly type: "tag" | "rule";
  readonly values: string[];
}

async function found(page: Page, look: string, runOnly: Chosen): Promise<string[]> {
  // There are no frames, for whose sake axe would open a page of its own.
  const axe = new AxeBuilder({ page }).setLegacyMode(true).options({ runOnly, resultTypes: ["violations"] });
  const { violations } = await axe.analyze();
  return violations.map(({ id, nodes }) => `${look}: ${id} ${nodes[0]?.html.slice(0, 200)}`);
}

/** A job of each fate, a schedule, an error, a bulk action. The id of the failed one. */
async function someOfEverything(): Promise<string> {
  const { engine } = stage;
  const payload = { url: "https://example.com/", depth: 1, language: "en", stepMs: 10 } as const;
  const failed = await engine.add(websiteAnalysis, { ...payload, failIn: "model-analysis" });
  const done = await engine.add(
    documentOcr,
    { doc: "contract.pdf", stepMs: 10 },
    { owner: "ada", tags: ["legal"] },
  );
  await engine.add(websiteAnalysis, { ...payload, stepMs: 60_000 });
  await engine.add(documentOcr, { doc: "later.pdf" }, { scheduledFor: new Date(Date.now() + 3_600_000) });
  await engine.schedule("nightly", documentOcr, { cron: "0 6 * * *", payload: { doc: "nightly.pdf" } });
  await engine.pause("document-ocr", "boost");
  await Promise.allSettled([engine.result(failed.id), engine.resume("document-ocr", "boost")]);
  await engine.result(done.id);
  await engine.bulk.start({ action: "cancel", ids: [done.id] });
  return failed.id;
}
