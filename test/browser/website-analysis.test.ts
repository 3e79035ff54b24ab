// The page of website-analysis in a real browser, with a real site that is read meanwhile. In real time.
import { readFile } from "node:fs/promises";
import { type Listening, listen } from "@lockstep/server";
import { axeFindings, testDatabase } from "@lockstep/test-support";
import type { Browser, BrowserContextOptions, Page } from "@playwright/test";
import { createEngine, type Engine } from "lockstep";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { analysisServer } from "../../apps/website-analysis/src/server/analysis-server.ts";
import { type LocalSite, startLocalSite } from "../../apps/website-analysis/src/test-support/local-site.ts";
import { WebsiteAnalysisApp } from "../../apps/website-analysis/src/website-analysis-app.ts";
import { readWebsiteAnalysisConfig } from "../../apps/website-analysis/src/website-analysis-config.ts";
import { complaintsOf, describeInBrowser, seen } from "./browser.ts";
import { launchChromium } from "./chromium.ts";

const db = testDatabase();
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const desktop = { viewport: { width: 1_280, height: 900 } };
let site: LocalSite;
let app: WebsiteAnalysisApp;
let engine: Engine;
let listening: Listening;
let browser: Browser;

describeInBrowser("website analysis", () => {
  beforeAll(async () => {
    site = await startLocalSite();
    const env = { WEBSITE_ANALYSIS_ALLOW: site.host, WEBSITE_ANALYSIS_HOST_INTERVAL_MS: "0" };
    app = new WebsiteAnalysisApp(readWebsiteAnalysisConfig(env), async () => db.url);
    const secret = await app.visitors.secret();
    engine = createEngine({
      databaseUrl: db.url,
      pipelines: [app.pipeline],
      logger: null,
      tokenSecret: secret,
    });
    listening = await listen(analysisServer({ engine, app, secret }), { port: 0 });
    browser = await launchChromium();
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await listening?.stop();
    await engine?.stop();
    await app?.close();
    await site?.stop();
  });

  test("an address waits in the queue, moves through the stages and becomes a report", async () => {
    const page = await open("", desktop);
    const complaints = complaintsOf(page);
    await seen(page.getByText("None yet. Enter the address of a page above")).toBeVisible();
    expect(await found(page, "empty")).toEqual([]);

    // Nobody works yet: two others come before this one.
    for (const path of ["/page/1", "/page/2"]) {
      await engine.add(app.pipeline, { url: `${site.url}${path}` }, { groupKey: site.host });
    }
    await analyse(page, `${site.url}/plain`);
    const first = page.locator("[data-stage=website-analysis]");
    await seen(first.getByText("place 3 in the queue")).toBeVisible();
    await seen(first.getByText("no worker is running")).toBeVisible();
    expect(await found(page, "waiting")).toEqual([]);

    await engine.start();
    await seen(
      page.getByRole("heading", { name: "The Harbour Bakery: fresh bread every morning" }),
    ).toBeVisible();
    // The words that were shown while it was written have gone.
    await seen(page.locator("[data-words=offer]")).toBeHidden();
    const offer = page.getByText("“The Harbour Bakery: fresh bread every morning” is a bakery.");
    await seen(offer.and(page.locator(":not(.words)"))).toBeVisible();
    await seen(part(page, "audience").getByText("families", { exact: true })).toBeVisible();
    await seen(part(page, "audience").locator("blockquote").first()).toContainText(
      "for families and small restaurants",
    );
    await seen(part(page, "seo").getByText("1 of 2 images have no alternative text.")).toBeVisible();
    await seen(part(page, "seo").getByText("1 <img> without alt")).toBeVisible();
    await seen(part(page, "things").getByText("Local business (Bakery)")).toBeVisible();
    await seen(page.getByText("jquery.min.js")).toBeVisible();
    await page.getByText("Links: 2 within the site, 1 to others").click();
    await seen(page.getByRole("link", { name: "Our mill" })).toBeVisible();
    await page.locator("summary", { hasText: "Text of the page" }).click();
    await seen(page.getByRole("region", { name: "Text of the page" })).toContainText("rests for a whole day");
    expect(await found(page, "report")).toEqual([]);

    await page.getByRole("link", { name: "Website analysis" }).click();
    await seen(
      page.locator("[data-stage=model-analysis]").getByText("0 of 70 processors busy, 0 waiting"),
    ).toBeVisible();
    await seen(page.locator(".history .badge")).toHaveText(["completed"]);
    expect(await found(page, "start with pools")).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test("a report is downloaded, shared with somebody else, and taken back", async () => {
    const page = await open("", phone);
    await analyse(page, `${site.url}/plain`);
    for (const [name, suggested, start] of [
      ["Download Markdown", "127.0.0.1.analysis.md", "# The Harbour Bakery"],
      ["Download JSON", "127.0.0.1.analysis.json", "{\n"],
    ] as const) {
      const [download] = await Promise.all([
        page.waitForEvent("download", { timeout: 45_000 }),
        page.getByRole("link", { name }).click({ timeout: 45_000 }),
      ]);
      expect(download.suggestedFilename()).toBe(suggested);
      expect((await readFile(await download.path(), "utf8")).startsWith(start)).toBe(true);
    }
    const address = page.url();
    await page.getByRole("button", { name: "Make a link" }).click();
    const link = await page.getByLabel("Link to this report").inputValue();

    const friend = await open(new URL(link).hash, phone);
    await seen(friend.getByText("Somebody shared this report with you.")).toBeVisible();
    await seen(part(friend, "audience").getByText("families", { exact: true })).toBeVisible();
    await seen(friend.getByRole("button", { name: "Analyse again" })).toHaveCount(0);
    expect(await found(friend, "shared")).toEqual([]);
    const stranger = await open(new URL(address).hash, phone);
    await seen(stranger.getByRole("heading", { name: "No such report" })).toBeVisible();

    await page.getByRole("button", { name: "Take the link back" }).click();
    await seen(page.getByRole("button", { name: "Make a link" })).toBeVisible();
    await friend.reload();
    await seen(friend.getByRole("heading", { name: "No such report" })).toBeVisible();
  });

  test("two runs of a page that has changed show what is new and what is gone", async () => {
    const page = await open("", desktop);
    site.put("/changing", bakery("Bread for families"));
    await analyse(page, `${site.url}/changing`);
    await seen(part(page, "audience").getByText("families", { exact: true })).toBeVisible();
    site.put("/changing", bakery("Bread for restaurants", '<a href="/prices">Prices</a>'));
    await page.getByRole("button", { name: "Analyse again" }).click();
    await seen(part(page, "audience").getByText("restaurants", { exact: true })).toBeVisible();
    await page.getByRole("link", { name: "Website analysis" }).click();
    const picks = page.getByRole("checkbox");
    await seen(picks).toHaveCount(2);
    for (const pick of await picks.all()) await pick.check();
    await page.getByRole("button", { name: "Compare the two" }).click();
    await seen(part(page, "audience")).toContainText("− gone: families");
    await seen(part(page, "audience")).toContainText("+ new: restaurants");
    await seen(part(page, "links")).toContainText(`+ new: ${site.url}/prices`);
    await seen(part(page, "words")).toContainText("1 more than before");
    expect(await found(page, "comparison")).toEqual([]);
  });

  test("what cannot be read says why, and hostile text stays text", async () => {
    const page = await open("", phone);
    const complaints = complaintsOf(page);
    await page.getByLabel("Address of a page").fill("javascript:alert(1)");
    await page.getByRole("button", { name: "Analyse" }).click();
    await seen(page.getByRole("alert")).toHaveText(/This is not the address of a page/);
    await analyse(page, `${site.url}/gone`);
    await seen(page.getByText(/answers with 404/).first()).toBeVisible();
    expect(await found(page, "failed")).toEqual([]);

    const evil = '"><img src=x onerror="window.hit=1">';
    site.put(
      "/evil",
      `<html lang=en><head><title>${evil.replaceAll("<", "&lt;")}</title></head><body><h1>&lt;script&gt;window.hit=1&lt;/script&gt;</h1><p>Made for families &lt;b&gt;and more. The rest of this page is here so that it is long enough to be read at all by anybody.</p></body></html>`,
    );
    const long = `${site.url}/evil?q=${"%3Cscript%3E".repeat(150)}`;
    await page.goto(`${listening.url}/#/`);
    await analyse(page, long);
    await seen(page.getByRole("heading", { name: evil })).toBeVisible();
    expect(await found(page, "hostile")).toEqual([]);
    expect(await page.evaluate("window.hit")).toBeUndefined();
    expect(complaints.filter((text) => !text.includes("422"))).toEqual([]);
  });
});

function bakery(claim: string, more = ""): string {
  return `<html lang="en"><head><title>Bakery at the corner</title></head><body><h1>Bakery at the corner</h1><p>${claim}, every day of the week and also on Sundays, as long as there is flour in the house and wood for the oven.</p>${more}</body></html>`;
}

function part(page: Page, name: string) {
  return page.locator(`[data-part=${name}]`);
}

/** A visitor of their own. */
async function open(hash: string, options: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext({ ...options, reducedMotion: "reduce" });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.goto(`${listening.url}/${hash}`);
  return page;
}

async function analyse(page: Page, url: string): Promise<void> {
  const input = page.getByLabel("Address of a page");
  await seen(input).toBeVisible();
  await input.fill(url);
  await page.getByRole("button", { name: "Analyse" }).click();
  await page.waitForURL(/#\/analysis\//, { timeout: 45_000 });
}

/** What axe finds, light and dark, and whether something has to be pushed sideways, on this screen and on a phone's. */
async function found(page: Page, where: string): Promise<string[]> {
  const findings: string[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    findings.push(...(await axeFindings(page, `${where}, ${colorScheme}`)));
  }
  await page.emulateMedia({ colorScheme: "light" });
  const size = page.viewportSize();
  for (const width of [size?.width ?? 390, 320]) {
    await page.setViewportSize({ width, height: 844 });
    const beyond = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
    if (Number(await page.evaluate(beyond)) > 0) findings.push(`${where} is wider than ${width} pixels`);
  }
  if (size !== null) await page.setViewportSize(size);
  return findings;
}
