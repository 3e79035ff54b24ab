// A filter that no index serves, over more jobs than one look goes through.
import { JobFactory, testDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { describeInBrowser, seen, storyBrowser } from "./browser.ts";
import { consoleSite } from "./console-site.ts";

describeInBrowser("a filter that takes long to look for", () => {
  const db = testDatabase();
  const jobs = new JobFactory(db);
  const browser = storyBrowser();

  async function addJobs(count: number, tags: string[]): Promise<void> {
    await db.query(
      `select lockstep.add_jobs(jsonb_agg(jsonb_build_object('pipeline', 'orders', 'payload', n, 'tags', $2::jsonb)))
       from generate_series(1, $1::int) n`,
      [count, JSON.stringify(tags)],
    );
  }

  test("is never said to match nothing before all was looked through, goes on, and a cancel takes all that match", async () => {
    await jobs.aPipeline("orders", ["read"]);
    await addJobs(80, ["x"]);
    await addJobs(45_000, []);
    await addJobs(20, ["y", "x"]);
    const { url } = await consoleSite(db);
    const page = await browser.open(`${url}/jobs?filter=tag:none`);
    await seen(page.getByText("No job found so far")).toBeVisible();
    await seen(page.getByRole("status").filter({ hasText: "Searched back to" })).toBeVisible();
    await page.getByRole("button", { name: "Search further" }).first().click();
    await seen(page.getByText("No job matches")).toBeVisible();

    await page.goto(`${url}/jobs?filter=tag:x`);
    await seen(page.locator("[data-row]")).toHaveCount(20);
    await seen(page.getByRole("link", { name: /^All/ })).toHaveText("All20+");
    await seen(page.getByText(/^Searched back to .* there may be more/)).toBeVisible();
    await page.getByRole("checkbox", { name: "Select all on this page" }).check();
    await page.getByRole("button", { name: "Select all 20+ matching" }).click();
    await page.getByRole("region", { name: "Bulk actions" }).getByRole("button", { name: "Cancel" }).click();
    const dialog = page.getByRole("dialog", { name: "Cancel at least 20 jobs?" });
    await seen(dialog.getByText("The action still covers every matching job")).toBeVisible();
    await dialog.getByRole("button", { name: "Cancel them" }).click();
    await page.getByRole("link", { name: "Follow" }).click();
    await seen(page.getByText("Done", { exact: true }).first()).toBeVisible();
    const matched = page.locator("dl > div").filter({ hasText: "Matched" });
    await seen(matched).toHaveText("Matched100");
    const [row] = await db.query("select count(*)::int as left from lockstep.jobs where tags @> '{x}'");
    expect(row).toEqual({ left: 0 });
  }, 180_000);
});
