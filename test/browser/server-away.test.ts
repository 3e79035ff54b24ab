import { testDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { describeInBrowser, seen, storyBrowser } from "./browser.ts";
import { consoleSite } from "./console-site.ts";
import { demoPipelines } from "./demo-pipelines.ts";

describeInBrowser("a server that is away", () => {
  const db = testDatabase();
  const browser = storyBrowser();

  test("is told as such, leaves the console where it is, and when it is back the page that was asked for is there", async () => {
    const options = { engine: { pipelines: demoPipelines } };
    const first = await consoleSite(db, options);
    const page = await browser.open(`${first.url}/jobs`);
    await seen(page.locator("[data-live=live]")).toBeVisible();
    await first.stop();
    await page.getByRole("link", { name: "Activity" }).click();
    await seen(page.getByRole("alert").filter({ hasText: "The server does not answer" })).toBeVisible();
    await seen(page).toHaveURL(`${first.url}/activity`);
    await seen(page.locator("[data-live=away]")).toHaveText(/^Disconnected/);
    expect(await page.getByText("Live: polling").count()).toBe(0);

    await consoleSite(db, { ...options, port: first.port });
    await seen(page.locator("[data-live=live]")).toBeVisible();
    await seen(page.getByRole("heading", { level: 1, name: "Activity" })).toBeVisible();
  });

  test("keeps its dialogs for later: one that was asked for says so, and is there when the server is back", async () => {
    const options = { engine: { pipelines: demoPipelines } };
    const first = await consoleSite(db, options);
    const page = await browser.open(`${first.url}/jobs`);
    await seen(page.locator("[data-live=live]")).toBeVisible();
    await first.stop();
    const unanswered = page.getByRole("alert").filter({ hasText: "The server does not answer" });

    await page.keyboard.press("Control+K");
    const palette = page.getByRole("dialog", { name: "Search or jump" });
    await seen(palette.and(page.getByRole("dialog").filter({ has: unanswered }))).toBeVisible();
    await page.keyboard.press("Escape");
    await seen(palette).toBeHidden();

    await page.getByRole("button", { name: "Add job" }).first().click();
    const newJob = page.getByRole("dialog", { name: "Add a job" });
    await seen(newJob.and(page.getByRole("dialog").filter({ has: unanswered }))).toBeVisible();
    await seen(page).toHaveURL(`${first.url}/jobs`);

    await consoleSite(db, { ...options, port: first.port });
    await seen(page.locator("[data-live=live]")).toBeVisible();
    await seen(newJob.getByLabel("Pipeline")).toBeVisible();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+K");
    await seen(palette.getByRole("combobox")).toBeFocused();
  });
});
