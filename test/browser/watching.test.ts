// In real time: the subject is what a browser shows while things happen, and when.
import { testDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { shortLease } from "../scenarios/short-lease.ts";
import { storyPipelines } from "../scenarios/story-pipelines.ts";
import { startWorker } from "../scenarios/worker-process.ts";
import { describeInBrowser, storyBrowser } from "./browser.ts";
import { consoleSite } from "./console-site.ts";
import { gatedPipeline } from "./gated-pipeline.ts";

describeInBrowser("watching", () => {
  const db = testDatabase();
  const browser = storyBrowser();

  test("a job added in the dialog moves through its stages before one's eyes", async () => {
    const { pipeline, stages, finish } = gatedPipeline();
    const { url, engine } = await consoleSite(db, { engine: { pipelines: [pipeline] } });
    await engine.start();
    const page = await browser.open(`${url}/jobs`);
    await page.evaluate("globalThis.isSamePage = true");

    await page.getByRole("button", { name: "Add job" }).first().click();
    const dialog = page.getByRole("dialog", { name: "Add a job" });
    await dialog.getByLabel("Url").fill("bicycles");
    await dialog.getByRole("button", { name: "Add job" }).click();
    await dialog.getByText("This is not an address with its scheme").waitFor();
    await dialog.getByLabel("Url").fill("https://bicycles.example");
    await dialog.getByRole("button", { name: "Add job" }).click();
    await dialog.waitFor({ state: "detached" });
    const toast = page.getByRole("status").filter({ hasText: "Job added" });
    await toast.waitFor();

    const row = page.locator("[data-row]");
    const bar = row.getByRole("progressbar");
    for (const [index, stage] of stages.entries()) {
      await row.getByText("Processing", { exact: true }).waitFor();
      await expect
        .poll(() => bar.getAttribute("aria-valuetext"), { timeout: 30_000 })
        .toMatch(`stage ${index + 1} of 3`);
      if (stage === "read") {
        // Half of a third.
        await expect.poll(() => bar.getAttribute("aria-valuenow"), { timeout: 30_000 }).toBe("17");
      }
      finish(stage);
    }
    await row.getByText("Completed", { exact: true }).waitFor();
    expect(await bar.getAttribute("aria-valuenow")).toBe("100");
    expect(await page.evaluate("globalThis.isSamePage")).toBe(true);

    await toast.getByRole("link", { name: "View" }).click();
    await page.getByRole("heading", { level: 1 }).filter({ hasText: "Completed" }).waitFor();
    await page.getByRole("tab", { name: "Result" }).click();
    await page.getByText("All about https://bicycles.example").waitFor();
  });

  test("a killed worker is shown as lost, and its job as completed by another", async () => {
    const pipelines = Object.values(storyPipelines());
    const { url, engine } = await consoleSite(db, { engine: { pipelines } });
    const settings = { ...shortLease };
    const first = await startWorker(db, { pipelines: ["relay"], settings });
    const { id } = await engine.add("relay", { deliver: { do: "wait" } });
    const person = await browser.person();
    const [job, workers] = await Promise.all([person.newPage(), person.newPage()]);
    await job.goto(`${url}/jobs/${id}`);
    await workers.goto(`${url}/workers`);
    await job.getByRole("heading", { level: 1 }).filter({ hasText: "Processing" }).waitFor();
    await workers.locator("[data-worker=live]").waitFor();

    await first.events.next("job.started", ({ stage }) => stage === "deliver");
    first.kill("SIGKILL");
    await workers.locator("[data-worker=lost]").getByText("1 job goes back to pending").waitFor();

    const second = await startWorker(db, { pipelines: ["relay"], settings });
    await second.events.next("job.started", ({ stage }) => stage === "deliver");
    await job.getByText("lost with its worker").first().waitFor();
    second.finish(id);
    await job.getByRole("heading", { level: 1 }).filter({ hasText: "Completed" }).waitFor();
    await workers.getByRole("link", { name: "Jobs", exact: true }).first().click();
    const row = workers.locator(`[data-row="${id}"]`);
    await row.getByText("Completed", { exact: true }).waitFor();
    await row.getByText(/^\d lost$/).waitFor();
  });
});
