import { ensureConsole } from "@lockstep/console";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "@playwright/test";
import { afterAll, beforeAll, describe, onTestFinished } from "vitest";
import { findChromium, launchChromium } from "./chromium.ts";

/** Stories that need a browser; where there is none they are named as not run. */
export const describeInBrowser = describe.skipIf(findChromium() === null);

// Bounds, not waits: a busy machine draws slowly.
const patienceMs = 45_000;

export interface StoryBrowser {
  /** A person of their own: settings, tabs and streams apart from everybody else's. */
  person(options?: BrowserContextOptions): Promise<BrowserContext>;
  /** One tab of a new person. */
  open(url: string, options?: BrowserContextOptions): Promise<Page>;
}

/** Call it in a describeInBrowser: one browser for the file, over the built console. */
export function storyBrowser(): StoryBrowser {
  let browser: Browser | undefined;
  beforeAll(async () => {
    await ensureConsole();
    browser = await launchChromium();
  }, 180_000);
  afterAll(() => browser?.close());

  const person = async (options: BrowserContextOptions = {}) => {
    if (browser === undefined) throw new Error("The browser is started before the first test, not earlier.");
    const context = await browser.newContext({
      viewport: { width: 1440, height: 900 },
      locale: "en-GB",
      timezoneId: "America/Denver",
      ...options,
    });
    context.setDefaultTimeout(patienceMs);
    onTestFinished(() => context.close());
    return context;
  };
  return {
    person,
    async open(url, options) {
      const page = await (await person(options)).newPage();
      await page.goto(url);
      return page;
    },
  };
}

/** What a page complained of: errors of its scripts, and whatever its console calls one. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  return complaints;
}
