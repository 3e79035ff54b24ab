// Budgets in the console: how full they are, who waits for them, and how a limit is changed. In real time.
import { axeFindings, testDatabase } from "@lockstep/test-support";
import { budget, definePipeline } from "lockstep";
import { beforeEach, expect, test } from "vitest";
import { complaintsOf, describeInBrowser, seen, storyBrowser } from "./browser.ts";
import { type ConsoleSite, workingSite } from "./console-site.ts";

const hostile = '<img src=x onerror="globalThis.isHacked = 1">/../?a=1&b="';
const tokens = budget("tokens", {
  per: "owner",
  limit: 10_000,
  everyMs: 86_400_000,
  unit: '<b>tokens</b> & "more"',
});
const money = budget("money", { per: "total", limit: 2.5, unit: "USD" });
const answers = definePipeline<number>("answers", { budgets: [tokens, money] }).stage(
  "ask",
  { spends: { tokens: 6_000, money: ({ payload }) => payload / 100_000 } },
  async ({ payload, spend }) => {
    await spend("tokens", payload);
    await spend("money", 0.01);
  },
);

describeInBrowser("budgets", () => {
  const db = testDatabase();
  const browser = storyBrowser();
  beforeEach(() => db.reset());

  /** Two owners have spent something, and a job of each of them waits. */
  async function spending(): Promise<ConsoleSite & { id: string }> {
    const site = await workingSite(db, { engine: { pipelines: [answers] } });
    const { engine } = site;
    for (const owner of ["ada", hostile, "bob"]) {
      const { id } = await engine.add(answers, owner === "bob" ? 700 : 5_500, { owner });
      await engine.result(id, { timeoutMs: 20_000 });
    }
    await engine.add(answers, 5_500, { owner: hostile });
    const { id } = await engine.add(answers, 5_500, { owner: "ada" });
    await expect
      .poll(async () => (await engine.budgets()).map(({ waitingJobs }) => waitingJobs), { timeout: 20_000 })
      .toEqual([0, 2]);
    return { ...site, id };
  }

  test("show how full they are, and a job goes on when its owner's limit is raised in the console", async () => {
    const { url, engine, id } = await spending();
    const page = await browser.open(`${url}/jobs/${id}`, { colorScheme: "light", reducedMotion: "reduce" });
    const complaints = complaintsOf(page);
    await seen(page.getByText(/Budget tokens of owner "ada" has no room for it/)).toBeVisible();

    await page.getByRole("navigation").getByRole("link", { name: "Budgets" }).click();
    await seen(page.getByRole("row", { name: /money/ })).toContainText("all jobs together");
    await seen(page.getByRole("row", { name: /tokens/ })).toContainText("11,700");
    await page.getByRole("link", { name: "tokens", exact: true }).click();
    await seen(page.getByRole("heading", { name: "Budgets tokens" })).toBeVisible();
    await seen(page.getByRole("link", { name: hostile })).toBeVisible();

    const find = page.getByRole("textbox", { name: "Find by its whole name" });
    await find.fill("nobody");
    await page.keyboard.press("Enter");
    await seen(page.getByText("nobody has spent nothing in this period.")).toBeVisible();
    await find.fill("ada");
    await page.keyboard.press("Enter");
    await seen(page.getByRole("link", { name: hostile })).toHaveCount(0);
    await page.getByRole("link", { name: "ada", exact: true }).click();
    await seen(page.getByRole("heading", { name: "Spent over time: ada" })).toBeVisible();
    await seen(
      page.getByRole("img", { name: /What ada has spent in each of the last 30 periods, 5,500/ }),
    ).toBeVisible();

    await page.getByRole("button", { name: "Change the limit of ada" }).click();
    const limit = page.getByRole("textbox", { name: /New limit/ });
    await limit.fill("many");
    await page.keyboard.press("Enter");
    await seen(page.getByRole("alert")).toHaveText("Enter a number from 0 on.");
    await limit.fill("20,000");
    await page.getByRole("textbox", { name: "Reason" }).fill("has <b>paid</b>");
    await page.keyboard.press("Enter");
    await seen(page.getByText("The limit is set")).toBeVisible();
    await seen(page.getByText("own limit")).toBeVisible();
    await engine.result(id, { timeoutMs: 20_000 });
    expect(await engine.recordedActions()).toMatchObject([
      {
        user: "local",
        action: "budgets.set_limit",
        target: "budgets/tokens/ada",
        detail: { limit: 20_000, reason: "has <b>paid</b>" },
      },
    ]);

    await page.getByRole("button", { name: "Change the limit of ada" }).click();
    await page.getByRole("button", { name: "Take back" }).click();
    await seen(page.getByText("The limit is taken back")).toBeVisible();
    await seen(page.getByText("own limit")).toHaveCount(0);
    await seen(page.getByText("1,000 above the limit")).toBeVisible();

    await page.goto(`${url}/pipelines/answers`);
    await seen(page.getByText("Spends tokens: 6,000")).toBeVisible();
    await seen(page.getByText("Spends money: estimated for each job")).toBeVisible();
    expect(await page.evaluate("globalThis.isHacked")).toBeUndefined();
    expect(complaints).toEqual([]);
  });

  test("are drawn without barriers in both themes, wide and narrow", async () => {
    const { url } = await spending();
    const page = await browser.open(`${url}/budgets`, { colorScheme: "light", reducedMotion: "reduce" });
    const findings: string[] = [];
    const change = "Change the limit of bob";
    for (const path of ["/budgets", "/budgets/tokens", "/budgets/money", "dialog"]) {
      await page.setViewportSize({ width: 1_280, height: 900 });
      await page.goto(url + (path === "dialog" ? "/budgets/tokens" : path));
      await seen(page.getByRole("img", { name: /spent and .* reserved of/ }).first()).toBeVisible();
      if (path === "dialog") await page.getByRole("button", { name: change }).click();
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
});
