// In real time: the subject is a stream that is cut, and what many tabs ask of the database in a second.
import { setTimeout as sleep } from "node:timers/promises";
import { testDatabase } from "@lockstep/test-support";
import type { Page } from "@playwright/test";
import type { JobId } from "lockstep";
import { expect, onTestFinished, test } from "vitest";
import { TcpProxy } from "../scenarios/faults/tcp-proxy.ts";
import { storyPipelines } from "../scenarios/story-pipelines.ts";
import { until } from "../scenarios/until.ts";
import { describeInBrowser, storyBrowser } from "./browser.ts";
import { consoleSite } from "./console-site.ts";

const tabs = 50;
const windowMs = 3_000;

describeInBrowser("streams", () => {
  const db = testDatabase();
  const browser = storyBrowser();

  /** The rows of the list as the page shows them. */
  async function shown(page: Page): Promise<{ id: string; status: string }[]> {
    const rows = await page.locator("[data-row]").all();
    return await Promise.all(
      rows.map(async (row) => ({
        id: (await row.getAttribute("data-row")) ?? "",
        status: (await row.locator("[data-status]").getAttribute("data-status")) ?? "",
      })),
    );
  }

  async function stored(): Promise<{ id: string; status: string }[]> {
    return await db.query(`
      select id, status::text as status from lockstep.jobs
      union all
      select id, status::text from lockstep.finished_jobs
      order by id desc`);
  }

  test("a list whose stream is cut again and again loses no row and doubles none", async () => {
    const { errand } = storyPipelines({ processors: 20 });
    const { url, engine } = await consoleSite(db, { engine: { pipelines: [errand] } });
    await engine.start();
    const proxy = await TcpProxy.start(url);
    onTestFinished(() => proxy.stop());
    const waiting: JobId[] = [];
    const addWaiting = async () => waiting.push((await engine.add(errand, { do: "wait" })).id);
    for (let n = 0; n < 3; n += 1) await addWaiting();
    const page = await browser.open(`${proxy.url.replace(/\/$/, "")}/jobs`);
    const live = page.locator("[data-live]");
    await expect.poll(() => shown(page), { timeout: 30_000 }).toHaveLength(3);

    for (let round = 1; round <= 3; round += 1) {
      await expect.poll(() => live.getAttribute("data-live"), { timeout: 30_000 }).toBe("live");
      proxy.shut();
      await page.getByText("Reconnecting", { exact: true }).waitFor();
      await page.getByText(/last update \d+ s ago/).waitFor();
      const cancelled = waiting.shift();
      if (cancelled !== undefined) await engine.cancel(cancelled);
      await addWaiting();
      await engine.add(errand, { do: "answer" });
      await until("all but three are finished, and they are processing", async () => {
        const unfinished = (await stored()).filter(({ status }) => !/ed$/.test(status));
        return unfinished.length === 3 && unfinished.every(({ status }) => status === "processing");
      });
      proxy.open();
      await page.getByRole("button", { name: /2 new jobs/ }).click();
      await expect.poll(() => shown(page), { timeout: 30_000 }).toEqual(await stored());
    }
  });

  async function transactions(): Promise<number> {
    const [row] = await db.query<{ count: string }>(
      "select xact_commit + xact_rollback as count from pg_stat_database where datname = current_database()",
    );
    return Number(row?.count);
  }

  /** Transactions a second over a while. Connections tell of their own at most once a second. */
  async function rate(): Promise<number> {
    await sleep(1_200);
    const beganAtMs = performance.now();
    const before = await transactions();
    await sleep(windowMs);
    return (((await transactions()) - before) * 1_000) / (performance.now() - beganAtMs);
  }

  test("fifty tabs ask no more of the database than one does", async () => {
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
    const alone = await rate();
    const others = await Promise.all(Array.from({ length: tabs - 1 }, open));
    await Promise.all(others.map(isLive));
    person.on("request", (request) => requests.push(request.url()));
    const crowded = await rate();
    expect(crowded).toBeLessThan(alone * 1.5 + 3);
    expect(requests).toEqual([]);
  });
});
