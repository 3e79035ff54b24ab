// Jobs that wait for a person: the console, and the page of an approval link. In real time.
import { axeFindings, testDatabase } from "@lockstep/test-support";
import { definePipeline, fanOut } from "lockstep";
import { beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { complaintsOf, describeInBrowser, seen, storyBrowser } from "./browser.ts";
import { type ConsoleSite, workingSite } from "./console-site.ts";

const expense = definePipeline("expense", { payload: z.object({ item: z.string(), amount: z.number() }) })
  .stage("check", ({ payload }) => ({ looksGood: payload.amount < 100 }))
  .wait("approval", {
    signal: z.object({
      approved: z.boolean().describe("Whether the money is paid out"),
      note: z.string().min(3).max(500),
    }),
    timeoutMs: 3 * 86_400_000,
  })
  .sleep("cool-down", { forMs: 500 })
  .stage("pay", ({ outputs }) => outputs.approval);

describeInBrowser("a job that waits for a person", () => {
  const db = testDatabase();
  const browser = storyBrowser();
  beforeEach(() => db.reset());

  async function waiting(): Promise<ConsoleSite & { id: string }> {
    const site = await workingSite(db, { engine: { pipelines: [expense], tokenSecret: "s".repeat(32) } });
    const { id } = await site.engine.add(expense, { item: "a lamp <b>", amount: 7 }, { owner: "ada" });
    await expect
      .poll(async () => (await site.engine.get(id))?.wait?.signal, { timeout: 20_000 })
      .toBe("approval");
    return { ...site, id };
  }

  test("is found in the list of those who wait for people, and goes on when somebody answers in the console", async () => {
    const { url, engine, id } = await waiting();
    const page = await browser.open(`${url}/`, { colorScheme: "light", reducedMotion: "reduce" });
    const complaints = complaintsOf(page);
    const entry = page.getByRole("navigation").getByRole("link", { name: /Waiting for people/ });
    await seen(entry).toContainText("1");
    await entry.click();
    await page.getByRole("link", { name: /approval/ }).click();
    await seen(page.getByRole("heading", { name: "Waits for approval" })).toBeVisible();
    await seen(page.getByText(/It waits for signal approval since/)).toBeVisible();
    await seen(page.getByText("then it fails").first()).toBeVisible();

    // What the schema asks for is asked for before anything is sent.
    const send = page.getByRole("button", { name: "Send the answer" });
    await send.click();
    await seen(page.getByText("This field is required.")).toBeVisible();
    expect((await engine.get(id))?.wait?.signal).toBe("approval");
    await page.getByRole("checkbox", { name: "Approved" }).focus();
    await page.keyboard.press("Space");
    await page.getByRole("textbox", { name: "Note" }).fill("Fine with me");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await seen(page.getByText("The job continues")).toBeVisible();
    expect(await engine.result(id, { timeoutMs: 20_000 })).toEqual({ approved: true, note: "Fine with me" });
    await seen(page.getByText(/answered by local/)).toBeVisible();
    await seen(page.getByRole("heading", { name: "Waits for approval" })).toHaveCount(0);
    expect(complaints).toEqual([]);
  });

  test("is counted beside the list when it waits for an answer, not while its children are still running", async () => {
    let letGo = () => {};
    const isHeld = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const receipt = definePipeline("receipt").stage("scan", () => isHeld);
    const trip = definePipeline("trip")
      .stage("collect", () => fanOut(receipt, [{ payload: 1 }]))
      .wait("approval", {})
      .stage("pay", () => null);
    const { url, engine } = await workingSite(db, { engine: { pipelines: [trip, receipt, expense] } });
    const { id } = await engine.add(trip, {});
    await engine.add(expense, { item: "a lamp", amount: 7 });
    await expect.poll(async () => (await engine.get(id))?.stage, { timeout: 20_000 }).toBe("approval");
    await expect.poll(async () => (await engine.waits()).length, { timeout: 20_000 }).toBe(1);
    const page = await browser.open(`${url}/waits`, { reducedMotion: "reduce" });
    const entry = page.getByRole("navigation").getByRole("link", { name: /Waiting for people/ });
    await seen(entry).toHaveText(/Waiting for people\s*1$/);
    await seen(page.getByRole("link", { name: /approval/ })).toHaveCount(1);
    letGo();
    await seen(entry).toHaveText(/Waiting for people\s*2$/);
    await seen(page.getByRole("link", { name: /approval/ })).toHaveCount(2);
  });

  test("is drawn without barriers in both themes, wide and narrow", async () => {
    const { url, id } = await waiting();
    const page = await browser.open(`${url}/waits`, { colorScheme: "light", reducedMotion: "reduce" });
    const findings: string[] = [];
    const sights = [
      ["/waits", "link", /approval/],
      [`/jobs/${id}`, "button", "Send the answer"],
      ["/pipelines/expense", "heading", "expense"],
    ] as const;
    for (const [path, role, name] of sights) {
      await page.setViewportSize({ width: 1_440, height: 900 });
      await page.goto(url + path);
      await seen(page.getByRole(role, { name }).first()).toBeVisible();
      findings.push(...(await axeFindings(page, `light ${path}`)));
      await page.evaluate('document.documentElement.dataset.theme = "dark"');
      findings.push(...(await axeFindings(page, `dark ${path}`, ["color-contrast"])));
      await page.setViewportSize({ width: 390, height: 844 });
      const fits = "document.documentElement.scrollWidth <= document.documentElement.clientWidth";
      await page
        .waitForFunction(fits, null, { timeout: 5_000 })
        .catch(() => findings.push(`${path} is too wide`));
    }
    expect(findings).toEqual([]);
  });

  test("can be decided on by a link, in a browser without scripts", async () => {
    const { url, engine, id } = await waiting();
    const link = await engine.approvalLink(id, "approval", {
      by: "grace",
      expiresInMs: 60_000,
      baseUrl: url,
    });
    const page = await browser.open(link, {
      javaScriptEnabled: false,
      viewport: { width: 390, height: 844 },
    });
    const complaints = complaintsOf(page);
    await seen(page.getByRole("heading", { level: 1 })).toHaveText("Your decision: Approval");
    await seen(page.getByText("a lamp <b>")).toBeVisible();
    expect((await engine.get(id))?.wait?.signal).toBe("approval");
    await page.getByRole("radio", { name: "No" }).check();
    await page.getByRole("textbox", { name: "Note" }).fill("Too dear");
    await page.getByRole("button", { name: "Send the decision" }).click();
    await seen(page.getByRole("heading", { level: 1 })).toHaveText("Your decision was taken");
    expect(await engine.result(id, { timeoutMs: 20_000 })).toEqual({ approved: false, note: "Too dear" });
    expect(await engine.recordedActions()).toMatchObject([
      { user: "grace", action: "jobs.signal", outcome: "signalled" },
    ]);
    await page.goto(link);
    await seen(page.getByRole("heading", { level: 1 })).toHaveText("This has been decided already");
    expect(complaints.filter((line) => !line.includes("410"))).toEqual([]);
  });

  test("has a page for deciding without barriers, in both themes", async () => {
    const { url, engine, id } = await waiting();
    const link = await engine.approvalLink(id, "approval", {
      by: "grace",
      expiresInMs: 60_000,
      baseUrl: url,
    });
    const findings: string[] = [];
    for (const colorScheme of ["light", "dark"] as const) {
      const page = await browser.open(link, { colorScheme });
      findings.push(...(await axeFindings(page, colorScheme)));
    }
    expect(findings).toEqual([]);
  });
});
