import { ensureConsole } from "@lockstep/console";
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  expect,
  type Page,
} from "@playwright/test";
import { afterAll, beforeAll, describe, onTestFinished } from "vitest";
import { findChromium, launchChromium } from "./chromium.ts";

const hasBrowser = findChromium() !== null;
const needs = "needs Chromium: apt-get install chromium, or say in CHROMIUM where it lies";

/** Stories that need a browser; where there is none they are named as not run. */
export function describeInBrowser(name: string, stories: () => void): void {
  describe.skipIf(!hasBrowser)(hasBrowser ? name : `${name} ${needs}`, stories);
}

// Bounds, not waits: a busy machine draws slowly.
const patienceMs = 45_000;

/** What is to be seen on a page, sooner or later. */
export const seen = expect.configure({ timeout: patienceMs });

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

/** What a page complains of from now on: errors of its scripts, and whatever its console calls one. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  return complaints;
}
