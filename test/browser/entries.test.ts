import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { testDatabase } from "@lockstep/test-support";
import { beforeAll, describe, expect, test } from "vitest";
import { migrateEntries } from "../../apps/entries/src/database/migrate-entries.ts";
import { ensurePackages } from "../../apps/entries/src/start/ensure-packages.ts";
import { buildPages } from "../../apps/entries/src/start/next-program.ts";
import { createEntry, openEntries, progressOf } from "../../apps/entries/stories/entries-browser.ts";
import { startServer } from "../../apps/entries/stories/entries-server.ts";
import { findChromium, launchChromium } from "./chromium.ts";

const database = testDatabase();

describe.skipIf(findChromium() === null)("with its production build", () => {
  beforeAll(async () => {
    await ensurePackages();
    await buildPages({ unlessDone: true });
  }, 300_000);

  test("an entry goes 33, 66, 100 before one's eyes, without a reload", async () => {
    await migrateEntries(database.url);
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
});
