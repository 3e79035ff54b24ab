// Skipped stages, branches and forks in the console. In real time.
import { axeFindings, testDatabase } from "@lockstep/test-support";
import { definePipeline } from "lockstep";
import { beforeEach, expect, test } from "vitest";
import { complaintsOf, describeInBrowser, seen, storyBrowser } from "./browser.ts";
import { type ConsoleSite, workingSite } from "./console-site.ts";

/** Whatever still runs goes on when this is called. */
let letGo = () => {};
let isHeld = Promise.resolve();

const article = definePipeline<{ title: string }>("article")
  .stage("look", ({ payload }) => payload.title)
  .stage("shorten", { when: ({ output }) => output.length > 12 }, ({ output }) => output.slice(0, 12))
  .parallel(
    "enrich",
    {
      words: ({ output }) => output.split(" ").length,
      slow: async () => {
        await isHeld;
        return "done";
      },
      picture: [
        { maxAttempts: 1 },
        () => {
          throw new Error("there is no picture");
        },
      ],
    },
    { onFailure: { picture: "ignore" } },
  )
  .stage("publish", ({ output }) => output);

describeInBrowser("a job with branches", () => {
  const db = testDatabase();
  const browser = storyBrowser();
  beforeEach(async () => {
    await db.reset();
    isHeld = new Promise((resolve) => {
      letGo = resolve;
    });
  });

  /** One of its branches still runs, one is done, and one has failed. */
  async function branched(options: { cancelGraceMs?: number } = {}): Promise<ConsoleSite & { id: string }> {
    const site = await workingSite(db, { engine: { pipelines: [article], drainTimeoutMs: 0, ...options } });
    const { id } = await site.engine.add(article, { title: "On trees" });
    const statuses = async () => (await site.engine.branches(id)).map(({ status }) => status);
    await expect.poll(statuses, { timeout: 20_000 }).toEqual(["completed", "processing", "failed"]);
    return { ...site, id };
  }

  test("shows what was skipped, each branch as it stands, and goes to each of them and back", async () => {
    const { url, engine, id } = await branched();
    const page = await browser.open(`${url}/jobs/${id}`, { colorScheme: "light", reducedMotion: "reduce" });
    const complaints = complaintsOf(page);
    const steps = page
      .getByRole("list")
      .filter({ has: page.getByText("publish") })
      .first();
    await seen(steps.getByRole("listitem").filter({ hasText: "shorten" }).first()).toContainText("skipped");
    const branches = page.getByRole("list", { name: "Branches of enrich" }).first();
    await seen(branches.getByRole("listitem")).toHaveText([
      /^words\s*Completed$/,
      /^slow\s*Processing$/,
      /^picture\s*Failed$/,
    ]);
    await seen(page.getByText(/It waits for the branches .*slow is processing/)).toBeVisible();
    // The timeline has a line for the skipped stage, and one for each branch.
    await seen(page.getByRole("list", { name: "shorten" }).getByText(/Attempt 1, skipped/)).toBeAttached();
    await seen(page.getByRole("link", { name: /^slow: Processing/ })).toBeVisible();

    await branches.getByRole("link", { name: "slow" }).click();
    await seen(page.getByRole("heading", { level: 1 })).toContainText("article:enrich:slow");
    const facts = page.getByRole("definition");
    await seen(facts.filter({ hasText: /^slow$/ })).toBeVisible();
    await page.getByRole("link", { name: id }).click();
    await seen(branches).toBeVisible();

    letGo();
    await seen(branches.getByRole("listitem").nth(1)).toHaveText(/Completed$/);
    expect(await engine.result(id, { timeoutMs: 20_000 })).toEqual({ words: 2, slow: "done" });
    expect(complaints).toEqual([]);
  });

  test("is run again from a chosen stage as a new job, which says where it comes from", async () => {
    const { url, engine, id } = await branched();
    letGo();
    await engine.result(id, { timeoutMs: 20_000 });
    const page = await browser.open(`${url}/jobs/${id}`, { reducedMotion: "reduce" });
    const complaints = complaintsOf(page);
    await page.getByRole("button", { name: "Run again as a new job" }).click();
    await page.getByRole("menuitem", { name: "From publish" }).click();
    await seen(page.getByText("Forked from")).toBeVisible();
    await expect.poll(() => page.url()).not.toContain(id);
    const forkId = page.url().split("/").at(-1) ?? "";
    expect(await engine.result(forkId, { timeoutMs: 20_000 })).toEqual({ words: 2, slow: "done" });
    expect(await engine.get(forkId)).toMatchObject({ forkedFrom: id, attempts: [{ stage: "publish" }] });
    expect(complaints).toEqual([]);
  });

  test("has branches that are cancelled like any job, after the time that the workers give them", async () => {
    const { url, engine, id } = await branched({ cancelGraceMs: 12_000 });
    const [, slow] = await engine.branches(id);
    const page = await browser.open(`${url}/jobs/${slow?.jobId}`, { reducedMotion: "reduce" });
    await page.getByRole("button", { name: "Cancel job" }).click();
    await seen(page.getByRole("dialog").getByText(/has not after 12 s/)).toBeVisible();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel job" }).click();
    await seen(page.getByText(/cancelled anyway in \d+ s/)).toBeVisible();
  });

  test("is counted in the funnel of its pipeline, which names what was skipped and leads to its branches", async () => {
    const { url } = await branched();
    const page = await browser.open(`${url}/pipelines/article`, { reducedMotion: "reduce" });
    await seen(page.getByText("3 branches").first()).toBeVisible();
    await seen(page.getByText("1 skipped").first()).toBeVisible();
    await page.getByRole("link", { name: "article:enrich:words" }).click();
    await seen(page.getByRole("heading", { level: 1 })).toContainText("article:enrich:words");
    await seen(page.getByRole("heading", { name: "Branch of" })).toBeVisible();
  });

  test("is drawn without barriers in both themes, wide and narrow", async () => {
    const { url, engine, id } = await branched();
    const [words] = await engine.branches(id);
    const page = await browser.open(url, { colorScheme: "light", reducedMotion: "reduce" });
    const findings: string[] = [];
    const sights = [
      [`/jobs/${id}`, "list", "Branches of enrich"],
      [`/jobs/${words?.jobId}`, "heading", "Details"],
      ["/pipelines/article", "link", "article:enrich:words"],
      ["/pipelines", "link", "article"],
    ] as const;
    for (const [path, role, name] of sights) {
      await page.setViewportSize({ width: 1_440, height: 900 });
      await page.goto(url + path);
      await seen(page.getByRole(role, { name }).first()).toBeVisible();
      findings.push(...(await axeFindings(page, `light ${path}`)));
      await page.evaluate('document.documentElement.dataset.theme = "dark"');
      findings.push(...(await axeFindings(page, `dark ${path}`, ["color-contrast"])));
      await page.setViewportSize({ width: 390, height: 844 });
      findings.push(...(await axeFindings(page, `narrow ${path}`, ["target-size"])));
      const fits = "document.documentElement.scrollWidth <= document.documentElement.clientWidth";
      await page
        .waitForFunction(fits, null, { timeout: 5_000 })
        .catch(() => findings.push(`${path} is too wide`));
    }
    expect(findings).toEqual([]);
  });
});
