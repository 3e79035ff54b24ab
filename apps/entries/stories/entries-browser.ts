import { existsSync } from "node:fs";
import { type Browser, chromium, type Page } from "@playwright/test";
import { onTestFinished } from "vitest";

// biome-ignore lint/style/noProcessEnv: where the browser is, on machines that have it elsewhere.
const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
export const hasBrowser = existsSync(executablePath);

const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"];

export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: [...args, "--disable-background-networking", "--disable-component-update"],
  });
}

/** A page that notes every value that the progress of an entry takes, and what goes wrong. */
export async function openEntries(browser: Browser, url: string): Promise<WatchedPage> {
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const elsewhere: string[] = [];
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== url) elsewhere.push(request.url());
  });
  let loads = 0;
  page.on("load", () => {
    loads += 1;
  });
  await page.addInitScript({ content: noteProgress });
  await page.goto(`${url}/entries`);
  await page.getByText("Live", { exact: true }).waitFor();
  return { page, loads: () => loads, elsewhere };
}

export interface WatchedPage {
  readonly page: Page;
  loads(): number;
  /** Requests to anywhere but the server. */
  readonly elsewhere: readonly string[];
}

export async function createEntry(page: Page, title: string): Promise<void> {
  await page.locator("header").getByRole("button", { name: "Create entry" }).click();
  await page.getByRole("dialog").getByLabel("Title").fill(title);
  await page.getByRole("button", { name: "Create", exact: true }).click();
}

/** What the bar of this entry has shown, each value once, in its order. */
export function progressOf(page: Page, title: string): Promise<number[]> {
  return page.evaluate(
    (name) => (globalThis as unknown as { seen: Record<string, number[]> }).seen[`Progress of ${name}`] ?? [],
    title,
  );
}

// As text: it is the browser's, and so are the words in it.
const noteProgress = `
  globalThis.seen = {};
  const look = () => {
    for (const bar of document.querySelectorAll("[role=progressbar]")) {
      const values = (seen[bar.getAttribute("aria-label")] ??= []);
      const value = Number(bar.getAttribute("aria-valuenow"));
      if (values.at(-1) !== value) values.push(value);
    }
  };
  new MutationObserver(look).observe(document, { subtree: true, childList: true, attributes: true });
`;
