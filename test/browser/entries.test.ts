import { testDatabase } from "@lockstep/test-support";
import { describe, expect, test } from "vitest";
import { migrateEntries } from "../../apps/entries/src/database/migrate-entries.ts";
import { isBuilt } from "../../apps/entries/src/start/next-program.ts";
import { createEntry, openEntries, progressOf } from "../../apps/entries/stories/entries-browser.ts";
import { startServer } from "../../apps/entries/stories/entries-server.ts";
import { findChromium, launchChromium } from "./chromium.ts";

const database = testDatabase();

// Next takes longer to build its pages than all other browser stories take together, so this is for who has built them.
describe.skipIf(findChromium() === null || !isBuilt())(
  "with the pages of `npm run build -w apps/entries`",
  () => {
    test("an entry goes 33, 66, 100 before one's eyes, without a reload", async () => {
      await migrateEntries(database.url);
      const [browser, server] = await Promise.all([launchChromium(), startServer(database.url, 4690)]);
      try {
        const { page, loads } = await openEntries(browser, server.url);
        await createEntry(page, "One");
        await page.getByText("Completed").waitFor();
        expect(await progressOf(page, "One")).toEqual([0, 33, 66, 100]);
        expect(loads()).toBe(1);
      } finally {
        await server.end("SIGTERM");
        await browser.close();
      }
    });
  },
);
