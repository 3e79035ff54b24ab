// A real browser before a real server, worker and database. In real time: that is what a person sees.
import { testDatabase } from "@lockstep/test-support";
import type { Page } from "@playwright/test";
import { expect, test } from "vitest";
import { complaintsOf, describeInBrowser, seen, storyBrowser } from "./browser.ts";
import { type ConsoleSiteOptions, consoleSite, workingSite } from "./console-site.ts";
import { demoPipelines, documentOcr, websiteAnalysis } from "./demo-pipelines.ts";

describeInBrowser("the console", () => {
  const db = testDatabase();
  const browser = storyBrowser();
  const site = (options: ConsoleSiteOptions = {}) =>
    workingSite(db, { engine: { pipelines: demoPipelines, workerName: "worker-1" }, ...options });

  test("a job added in a form is announced, moves through its stages and ends completed", async () => {
    const { url } = await site();
    const page = await browser.open(`${url}/jobs`);
    const complaints = complaintsOf(page);

    await page.getByRole("button", { name: "Add job" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Pipeline").selectOption("website-analysis");
    await dialog.getByRole("button", { name: "Add job" }).click();
    await seen(dialog.getByText("This field is required.")).toBeVisible();
    await dialog.getByRole("textbox", { name: "Url" }).fill("https://example.com/new");
    await dialog.getByRole("spinbutton", { name: "Step ms" }).fill("1200");
    await dialog.getByRole("button", { name: "Add job" }).click();

    await seen(page.getByRole("region", { name: "Messages" }).getByText("Job added")).toBeVisible();
    await page.getByRole("link", { name: "View", exact: true }).click();
    await seen(page.locator("h1 [data-status=processing]")).toBeVisible();
    const bar = page.getByRole("progressbar");
    await seen.poll(async () => Number(await bar.getAttribute("aria-valuenow"))).toBeGreaterThan(30);
    await seen(page.locator("h1 [data-status=completed]")).toBeVisible();
    await seen(bar).toHaveAttribute("aria-valuenow", "100");
    await seen(page.getByRole("status")).toHaveText(/^Job added/);
    expect(complaints).toEqual([]);
  });

  test("under a sub-path every page opens by its own address, and a strict policy finds nothing", async () => {
    const { url, engine } = await site({ server: { mountPath: "/ops/jobs" } });
    const { id } = await engine.add(documentOcr, { doc: "a.pdf", stepMs: 10 });
    await engine.result(id);
    const page = await (await browser.person()).newPage();
    const complaints = complaintsOf(page);
    await page.goto(`${url}/`);
    await seen(page.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();

    await page.getByRole("link", { name: "Workers" }).click();
    await seen(page).toHaveURL(`${url}/workers`);
    await seen(page.getByRole("heading", { name: "worker-1" })).toBeVisible();

    await page.goto(`${url}/jobs/${id}`);
    await seen(page.locator("h1 [data-status=completed]")).toBeVisible();
    await seen(page.locator("[data-live=live]")).toBeVisible();
    expect(complaints).toEqual([]);
  });

  test("the overview links to what the server was told of, in the same tab, and has no such row otherwise", async () => {
    const other = await consoleSite(db, { server: { environment: "the other" } });
    const links = [{ title: "The other", url: other.url }];
    const { url } = await consoleSite(db, { server: { links } });
    const page = await browser.open(url);
    const row = page.getByRole("navigation", { name: "Applications" });
    await seen(row.getByRole("link", { name: "The other" })).toHaveAttribute("rel", "noopener");
    await row.getByRole("link", { name: "The other" }).click();
    await seen(page).toHaveURL(`${other.url}/`);
    // It stands in the same answer as the links.
    await seen(page.getByText("the other").first()).toBeVisible();
    await seen(page.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
    await seen(row).toHaveCount(0);
  });

  test("a cut stream is told, and when it is back no row is missing or doubled", async () => {
    const first = await site();
    const page = await browser.open(`${first.url}/jobs?filter=tag:cut`);
    await seen(page.locator("[data-live=live]")).toBeVisible();

    await first.stop();
    await seen(page.locator("[data-live=reconnecting]")).toBeVisible();
    const jobs = Array.from({ length: 12 }, (_, index) => ({
      payload: { doc: `cut-${index}.pdf`, stepMs: 5 },
      tags: ["cut"],
    }));
    const added = await first.engine.addMany(documentOcr, jobs);
    await Promise.all(added.map(({ id }) => first.engine.result(id)));
    await site({ port: first.port });

    await seen(page.locator("[data-live=live]")).toBeVisible();
    await seen(page.locator("[data-row]")).toHaveCount(12);
    const rows = await page.locator("[data-row]").all();
    const ids = await Promise.all(rows.map((row) => row.getAttribute("data-row")));
    expect([...ids].sort()).toEqual(added.map(({ id }) => id).sort());
  });

  test("the list of errors and an error's own page tell how many jobs failed so over time", async () => {
    const { url, engine } = await site();
    const payload = { url: "https://example.com/y", stepMs: 10, failIn: "model-analysis" };
    const failing = await engine.addMany(websiteAnalysis, [{ payload }, { payload }]);
    await Promise.allSettled(failing.map(({ id }) => engine.result(id)));
    const page = await browser.open(`${url}/errors`);
    await seen(page.getByRole("img", { name: "2 jobs in the last 24 hours" })).toBeVisible();
    await page.getByRole("link", { name: /PermanentError/ }).click();
    await seen(
      page.getByRole("img", { name: "Jobs still failed with this error, last 24 hours: 2." }),
    ).toBeVisible();
    await page.getByLabel("Time range").selectOption("1h");
    await seen(
      page.getByRole("img", { name: "Jobs still failed with this error, last hour: 2." }),
    ).toBeVisible();
  });

  test("by keyboard alone one finds the failed jobs and retries them", async () => {
    const { url, engine } = await site();
    const payload = { url: "https://example.com/x", depth: 1, language: "en", stepMs: 10 } as const;
    const failing = await engine.addMany(
      websiteAnalysis,
      Array.from({ length: 3 }, () => ({
        payload: { ...payload, failIn: "model-analysis" },
        tags: ["keys"],
      })),
    );
    await Promise.allSettled(failing.map(({ id }) => engine.result(id)));
    const page = await browser.open(`${url}/`);
    await seen(page.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();

    await page.keyboard.press("g");
    await page.keyboard.press("j");
    await seen(page.getByRole("heading", { level: 1, name: "Jobs" })).toBeFocused();
    await page.keyboard.press("/");
    await page.keyboard.type("status:failed");
    await page.keyboard.press("Enter");
    await page.keyboard.type("tag:keys");
    await page.keyboard.press("Enter");
    await seen(page.locator("[data-row]")).toHaveCount(3);
    await page.keyboard.press("Escape");
    for (const key of ["j", "x", "j", "x"]) await page.keyboard.press(key);
    await page.keyboard.press("r");
    await seen(page.getByRole("dialog", { name: "Retry 2 jobs?" })).toBeVisible();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");

    await seen(page.getByRole("region", { name: "Messages" }).getByText("Retry started")).toBeVisible();
    await page.getByRole("link", { name: "Follow" }).press("Enter");
    // The rows of the list have bars of their own, until the page has changed.
    const bar = page.getByRole("progressbar", { name: "Progress of the bulk action" });
    await seen(bar).toHaveAttribute("aria-valuenow", "100");
  });

  test("a view of the jobs is saved, opened by menu, key and palette, renamed, and deleted in every tab", async () => {
    const { url } = await consoleSite(db);
    const person = await browser.person();
    const [page, other] = [await person.newPage(), await person.newPage()];
    const complaints = [complaintsOf(page), complaintsOf(other)];
    const viewsOf = (tab: Page) => tab.getByRole("button", { name: "Views" });
    const failed = `${url}/jobs?status=failed&filter=pipeline%3Adocument-ocr+since%3A24h`;
    await Promise.all([page.goto(failed), other.goto(`${url}/jobs`)]);
    await page.evaluate("localStorage.setItem('lockstep-views:/', '{broken')");
    await page.getByRole("button", { name: "Save view" }).click();
    await page.keyboard.press("Enter");
    await seen(page.getByRole("alert")).toHaveText("A view needs a name.");
    await page.keyboard.type("Failed papers");
    await page.keyboard.press("Enter");
    const shown = page.getByRole("button", { name: "Failed papers: rename or delete this view" });
    await seen(shown).toBeFocused();
    await seen(viewsOf(other)).toBeVisible();

    const leave = async () => {
      await page.getByRole("button", { name: "Clear filters" }).first().click();
      await seen(page).toHaveURL(`${url}/jobs?status=failed`);
      await seen(shown).toHaveCount(0);
    };
    await leave();
    await viewsOf(page).click();
    await page.getByRole("menuitem", { name: "Failed papers" }).click();
    await seen(page).toHaveURL(failed);
    await leave();
    await page.reload();
    await seen(viewsOf(page)).toBeVisible();
    await page.keyboard.press("1");
    await seen(page).toHaveURL(failed);
    await leave();
    await page.keyboard.press("Control+k");
    await page.getByPlaceholder("A page, a saved view").fill("papers");
    await page.keyboard.press("Enter");
    await seen(page).toHaveURL(failed);

    await shown.click();
    await page.keyboard.type("Old papers");
    await page.keyboard.press("Enter");
    await viewsOf(other).click();
    await seen(other.getByRole("menuitem")).toHaveText(["Old papers1"]);
    await page.getByRole("button", { name: "Old papers: rename or delete this view" }).click();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await seen(page.getByRole("button", { name: "Save view" })).toBeFocused();
    await seen(viewsOf(other)).toHaveCount(0);
    expect(complaints).toEqual([[], []]);
  });

  test("while a page's numbers are on their way it shows none, and when they fail it says why", async () => {
    const { url } = await site();
    const page = await (await browser.person()).newPage();
    let fail: () => void = () => {};
    const failed = new Promise<void>((resolve) => {
      fail = resolve;
    });
    const problem = { title: "Nothing to be had", detail: "The log tells more.", requestId: "r-1" };
    await page.route("**/history?*", async (route) => {
      await failed;
      await route.fulfill({
        status: 422,
        contentType: "application/problem+json",
        body: JSON.stringify(problem),
      });
    });
    await page.goto(`${url}/`);
    const completed = page.locator("dl > div").filter({ hasText: "Completed / min" });
    await seen(page.locator("[aria-busy=true]").first()).toBeVisible();
    expect(await completed.textContent()).not.toMatch(/\d\s*last/);
    fail();
    await seen(page.getByRole("alert").first()).toContainText("Request r-1");
    expect(await completed.textContent()).toContain("–");
    await page.unroute("**/history?*");
    await page.getByRole("button", { name: "Try again" }).first().click();
    await seen(completed).toContainText(/\d\s*last 5 min/);
  });

  test("whoever may only look finds no control that changes anything, and no payload", async () => {
    const token = "a-viewer-of-the-browser-tests-1234";
    const access = { tokens: [{ user: "vera", role: "viewer" as const, token }] };
    const { url, engine } = await site({ server: { access } });
    const { id } = await engine.add(documentOcr, { doc: "secret.pdf", stepMs: 10 });
    await engine.result(id);
    const page = await browser.open(`${url}/jobs`, {
      httpCredentials: { username: "vera", password: token },
    });
    await seen(page.getByText("You can view everything here")).toBeVisible();
    await seen(page.locator("[data-row]").first()).toBeVisible();
    await seen(page.getByRole("checkbox")).toHaveCount(0);
    await seen(page.getByRole("button", { name: /Add job|Retry|Cancel/ })).toHaveCount(0);
    await page.goto(`${url}/jobs/${id}`);
    await seen(page.getByText("You do not have permission to see payloads.")).toBeVisible();
    expect(await page.content()).not.toContain("secret.pdf");
    await page.goto(`${url}/pipelines/document-ocr`);
    await seen(page.getByRole("row", { name: /download/ }).first()).toBeVisible();
    await seen(page.getByRole("button", { name: /Pause/ })).toHaveCount(0);
  });
});
