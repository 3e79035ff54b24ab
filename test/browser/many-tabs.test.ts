// In real time: the subject is what many tabs ask of the database in a second.
import { setTimeout as sleep } from "node:timers/promises";
import { testDatabase } from "@lockstep/test-support";
import type { Page } from "@playwright/test";
import { expect, test } from "vitest";
import { storyPipelines } from "../scenarios/stories/story-pipelines.ts";
import { describeInBrowser, storyBrowser } from "./browser.ts";
import { consoleSite } from "./console-site.ts";

const tabs = 20;
const windowMs = 3_000;

describeInBrowser("many tabs", () => {
  const db = testDatabase();
  const browser = storyBrowser();

  async function transactions(): Promise<number> {
    const [row] = await db.query<{ count: string }>(
      "select xact_commit + xact_rollback as count from pg_stat_database where datname = current_database()",
    );
    return Number(row?.count);
  }

  /** Transactions a second over a while. */
  async function rate(): Promise<number> {
    const beganAtMs = performance.now();
    const before = await transactions();
    await sleep(windowMs);
    return (((await transactions()) - before) * 1_000) / (performance.now() - beganAtMs);
  }

  test("twenty tabs ask no more of the database than one does", async () => {
    const { url, engine } = await consoleSite(db, { engine: { pipelines: Object.values(storyPipelines()) } });
    await engine.add("errand", { do: "answer" });
    const person = await browser.person();
    const requests: string[] = [];
    const open = async () => {
      const page = await person.newPage();
      await page.goto(`${url}/settings`, { waitUntil: "commit" });
      return page;
    };
    const isLive = (page: Page) => page.locator("[data-live=live]").waitFor();
    await isLive(await open());
    // Connections tell of their own at most once a second.
    await sleep(1_200);
    const alone = await rate();
    const others = await Promise.all(Array.from({ length: tabs - 1 }, open));
    await Promise.all(others.map(isLive));
    // What a page asks for when it opens is not what it asks for while it is open.
    await Promise.all(others.map((page) => page.waitForLoadState("networkidle")));
    person.on("request", (request) => requests.push(request.url()));
    // A connection that has come to rest tells of its last transactions only ten seconds later.
    await expect.poll(rate, { interval: 100, timeout: 40_000 }).toBeLessThan(alone * 1.5 + 3);
    expect(requests).toEqual([]);
  });
});
