import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ensureConsole } from "@lockstep/console";
import { startPostgres } from "@lockstep/local-postgres";
import { createServer, listen } from "@lockstep/server";
import type { Page } from "@playwright/test";
import { createEngine, type Engine } from "lockstep";
import pg from "pg";
import { launchChromium } from "../../test/browser/chromium.ts";
import { consolePages } from "../../test/browser/console-pages.ts";
import { furnishedPipelines } from "../../test/browser/demo-pipelines.ts";
import { furnish, helper } from "../../test/browser/furnish.ts";
import { isDrawn } from "../../test/browser/is-drawn.ts";
import { repository } from "../run-command.ts";
import { addBudgets } from "./add-budgets.ts";
import { addHistory } from "./add-history.ts";

// Every page of the console in both themes at three widths, into docs/screenshots. Arguments choose pages by name.
const chosen = process.argv.slice(2);
const sizes = [
  { width: 1440, height: 900 },
  { width: 768, height: 1024 },
  { width: 320, height: 800 },
];
const folder = join(repository, "docs", "screenshots");

const postgres = await startPostgres();
const engine = createEngine({
  databaseUrl: postgres.url,
  pipelines: furnishedPipelines,
  workerName: "worker-1",
  logger: null,
});
await engine.migrate();
await engine.start();
const second = await helper(postgres.url);
let third: Engine | undefined;
const consoleFolder = await ensureConsole();
const server = createServer({
  engine,
  access: "loopback",
  consoleFolder,
  readsPerSecond: null,
  logger: null,
});
const { url, stop } = await listen(server, { port: 0 });
const browser = await launchChromium();
try {
  const places = await furnish(engine);
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  await addHistory(client);
  third = await addBudgets(postgres.url, client);
  await client.end();
  const pages = Object.entries(consolePages(places)).filter(
    ([name]) => chosen.length === 0 || chosen.includes(name),
  );
  if (chosen.length === 0) rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const colorScheme of ["light", "dark"] as const) {
    for (const viewport of sizes) {
      const context = await browser.newContext({
        viewport,
        colorScheme,
        reducedMotion: "reduce",
        locale: "en-GB",
        timezoneId: "Europe/Berlin",
      });
      const page = await context.newPage();
      for (const [name, path] of pages) {
        await page.goto(`${url}${path}`);
        await isDrawn(page);
        await page.locator("[data-live=live]").waitFor();
        // Charts are drawn as soon as there is an axis, and filled when the history has come.
        await page.waitForTimeout(1_500);
        writeFileSync(join(folder, `${name}-${colorScheme}-${viewport.width}.webp`), await picture(page));
      }
      await context.close();
      console.log(`${pages.length} pages, ${colorScheme}, ${viewport.width} px`);
    }
  }
} finally {
  await browser.close();
  await stop();
  await Promise.all([second.stop(), third?.stop(), engine.stop()]);
  await postgres.stop();
}

/** As WebP, which Playwright's own screenshots cannot be: a third of the size. */
async function picture(page: Page): Promise<Buffer> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 80 });
  await session.detach();
  return Buffer.from(data, "base64");
}
