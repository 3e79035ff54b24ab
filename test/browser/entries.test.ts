import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { axeFindings, testDatabase } from "@lockstep/test-support";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { migrateEntries } from "../../apps/entries/src/database/migrate-entries.ts";
import { buildPages } from "../../apps/entries/src/start/next-program.ts";
import { createEntry, openEntries, progressOf } from "../../apps/entries/stories/entries-browser.ts";
import { startServer } from "../../apps/entries/stories/entries-server.ts";
import { seen } from "./browser.ts";
import { findChromium, launchChromium } from "./chromium.ts";

const database = testDatabase();

describe.skipIf(findChromium() === null)("with its production build", () => {
  beforeAll(async () => {
    await buildPages({ unlessDone: true });
    await migrateEntries(database.url);
  }, 300_000);
  beforeEach(() => database.query("truncate entries"));

  test("an entry goes 33, 66, 100 before one's eyes, without a reload", async () => {
    const [browser, server] = await Promise.all([launchChromium(), startServer(database.url, 4690)]);
    try {
      const { page, loads } = await openEntries(browser, server.url);
      await createEntry(page, "One");
      await page.getByText("Completed").waitFor();
      expect(await progressOf(page, "One")).toEqual([0, 33, 66, 100]);
      expect(loads()).toBe(1);
      // As a page of another site would come, whose own name leads to this machine.
      const strange: IncomingMessage[] = await once(
        get(server.url, { headers: { host: "evil.example" } }).end(),
        "response",
      );
      expect(strange[0]?.resume().statusCode).toBe(421);
    } finally {
      await server.end("SIGTERM");
      await browser.close();
    }
  });

  test("on a phone, and with Prisma, a failed entry is found, retried and deleted", async () => {
    const [browser, server] = await Promise.all([
      launchChromium(),
      startServer(database.url, 4692, { ENTRIES_DATABASE_CLIENT: "prisma", ENTRIES_STAGE_WORK_MS: "100" }),
    ]);
    try {
      const { page } = await openEntries(browser, server.url);
      await page.setViewportSize({ width: 390, height: 844 });
      await createEntry(page, "fail: a title of many words that nobody will ever read to its end");
      await page.getByText("Created successfully").waitFor();
      await createEntry(page, "Two");
      await page.getByText("Failed", { exact: true }).waitFor();
      await page.getByText("Completed").waitFor();
      const sideways = () => page.evaluate("document.documentElement.scrollWidth - innerWidth");
      expect(await sideways()).toBeLessThanOrEqual(0);
      expect(await axeFindings(page, "entries on a phone")).toEqual([]);

      await page.getByLabel("Search titles").fill("FAIL");
      await seen(page.locator("tbody tr")).toHaveCount(1);
      await page.getByLabel("Search titles").fill("nothing has this");
      await page.getByText("No entry matches").waitFor();
      await page.getByLabel("Search titles").fill("");
      await seen(page.locator("tbody tr")).toHaveCount(2);

      await database.query("update entries set title = 'mended' where status = 'FAILED'");
      await page.getByRole("button", { name: /^Retry fail/ }).click();
      await seen(page.getByText("Completed")).toHaveCount(2);
      await page.getByRole("button", { name: "Delete mended" }).click();
      expect(await axeFindings(page, "the question before a deletion")).toEqual([]);
      await page.getByRole("button", { name: "Delete", exact: true }).click();
      await seen(page.locator("tbody tr")).toHaveCount(1);
      expect(await database.query("select title from entries")).toEqual([{ title: "Two" }]);
    } finally {
      await server.end("SIGTERM");
      await browser.close();
    }
  });
});
