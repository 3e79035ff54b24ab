import { axeFindings, testDatabase } from "@lockstep/test-support";
import type { Browser } from "@playwright/test";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { migrateEntries } from "../src/database/migrate-entries.ts";
import { createEntry, hasBrowser, openBrowser, openEntries, progressOf } from "./entries-browser.ts";
import { stageWorkMs, startServer, startWorker } from "./entries-server.ts";

// Generous: a busy machine is slow.
const soon = { timeout: 25_000 };
const database = testDatabase();
let browser: Browser;
let port = 4610;

beforeAll(async () => {
  await migrateEntries(database.url);
  if (hasBrowser) browser = await openBrowser();
});
afterAll(() => browser?.close());
beforeEach(async () => {
  port += 2;
  await database.reset();
  await database.query("truncate entries, entry_follower");
});

const post = (url: string, title: string) =>
  fetch(`${url}/api/entries`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ title }),
  });

describe.runIf(hasBrowser)("entries in a browser", () => {
  test("three entries go 33, 66, 100 before one's eyes, without a reload", async () => {
    const server = await startServer(database.url, port);
    const { page, loads, elsewhere } = await openEntries(browser, server.url);
    await page.getByText("No entries yet").waitFor();
    const titles = ["One", "Two", "Three"];
    for (const title of titles) {
      await createEntry(page, title);
      await page.getByRole("cell", { name: title }).waitFor();
    }
    await expect.poll(() => page.getByText("Completed").count(), { timeout: 60_000 }).toBe(3);
    for (const title of titles) expect(await progressOf(page, title)).toEqual([0, 33, 66, 100]);
    expect(await page.locator("tbody tr td:first-child").allInnerTexts()).toEqual(["Three", "Two", "One"]);
    expect(await page.locator("tbody").textContent()).toMatch(/Processed at 20/);
    expect(loads()).toBe(1);
    expect(elsewhere).toEqual([]);
    await server.end("SIGKILL");
  });

  test("five grey rows stand where entries will be, and an error where they cannot be had", async () => {
    const server = await startServer(database.url, port);
    const { page } = await openEntries(browser, server.url);
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route("**/api/entries?*", async (route) => {
      await answered;
      await route.fulfill({ status: 503, json: { error: "The entries cannot be reached.", fields: {} } });
    });
    await page.reload();
    await expect.poll(() => page.locator("[data-skeleton]").count(), soon).toBe(5);
    answer();
    await page.getByRole("alert").filter({ hasText: "The entries cannot be reached." }).waitFor();
    await page.unroute("**/api/entries?*");
    await page.getByRole("button", { name: "Try now" }).click();
    await page.getByText("No entries yet").waitFor();
  });

  test("an entry whose stage throws shows its error, and strange titles do no harm", async () => {
    const server = await startServer(database.url, port);
    const { page } = await openEntries(browser, server.url);
    let dialogs = 0;
    page.on("dialog", (dialog) => {
      dialogs += 1;
      void dialog.dismiss();
    });
    const html = "<img src=x onerror=alert(1)><script>alert(2)</script>";
    for (const title of ["fail: on purpose", "👩‍👩‍👧‍👦".repeat(200), html]) {
      await createEntry(page, title);
      await page.getByRole("dialog").waitFor({ state: "detached" });
    }
    await page.getByText("Failed", { exact: true }).waitFor();
    await page.getByText('Error: There is no way to process "fail: on purpose"').waitFor();
    await page.getByRole("cell", { name: html }).waitFor();
    await createEntry(page, "x".repeat(10_000));
    await page.getByText("A title has at most 200 characters.").waitFor();
    expect(await axeFindings(page, "entries")).toEqual([]);
    expect(dialogs).toBe(0);
    expect((await database.query("select 1 from entries")).length).toBe(3);
  });

  test("where no stream can be had, the page reads every two seconds", async () => {
    const server = await startServer(database.url, port);
    const { page } = await openEntries(browser, server.url);
    await page.route("**/api/live-token", (route) => route.fulfill({ status: 404 }));
    await page.reload();
    await page.getByText("Polling every 2 s").waitFor();
    await createEntry(page, "Polled");
    await expect.poll(() => page.getByText("Completed").count(), { timeout: 30_000 }).toBe(1);
  });

  test("a server killed after its 201 and started again: the entry completes, and the page saw it", async () => {
    const server = await startServer(database.url, port);
    const { page, loads } = await openEntries(browser, server.url);
    await createEntry(page, "Survivor");
    await page.getByText("Created successfully").waitFor();
    await server.end("SIGKILL");
    expect(await database.query("select status from entries")).toEqual([{ status: "CREATED" }]);
    await page.getByText("The server cannot be reached.").waitFor();
    await startServer(database.url, port);
    await expect.poll(() => page.getByText("Completed").count(), { timeout: 90_000 }).toBe(1);
    expect(await progressOf(page, "Survivor")).toEqual([0, 33, 66, 100]);
    expect(loads()).toBe(1);
  });

  test("two servers that only add, and one worker: both pages see every entry", async () => {
    const env = { ENTRIES_WORKER: "separate" };
    const [first, second] = await Promise.all([
      startServer(database.url, port, env),
      startServer(database.url, port + 1, env),
    ]);
    const here = await openEntries(browser, first.url);
    const there = await openEntries(browser, second.url);
    await createEntry(here.page, "Here");
    await createEntry(there.page, "There");
    await here.page.getByRole("cell", { name: "There" }).waitFor();
    expect(await here.page.getByText("Created", { exact: true }).count()).toBe(3); // the two, and the column
    const worker = await startWorker(database.url);
    for (const { page } of [here, there]) {
      await expect.poll(() => page.getByText("Completed").count(), { timeout: 60_000 }).toBe(2);
      expect(await progressOf(page, "Here")).toEqual([0, 33, 66, 100]);
    }
    await worker.end("SIGTERM");
  });
});

test("a server that is asked to end lets its stage end first", async () => {
  const server = await startServer(database.url, port);
  expect((await post(server.url, "Drained")).status).toBe(201);
  await expect
    .poll(() => database.query("select status from lockstep.jobs"), { timeout: 20_000, interval: 50 })
    .toEqual([{ status: "processing" }]);
  const began = Date.now();
  await server.end("SIGTERM");
  expect(Date.now() - began).toBeLessThan(stageWorkMs + 5_000);
  expect(await database.query("select status, progress from entries")).toEqual([
    { status: "STAGE_1", progress: 33 },
  ]);
  expect(await database.query("select status, losses from lockstep.jobs")).toEqual([
    { status: "pending", losses: 0 },
  ]);
});
