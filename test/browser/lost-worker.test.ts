// In real time: the subject is what a browser shows while things happen, and when.
import { testDatabase } from "@lockstep/test-support";
import { test } from "vitest";
import { shortLease } from "../scenarios/short-lease.ts";
import { storyPipelines } from "../scenarios/story-pipelines.ts";
import { startWorker } from "../scenarios/worker-process.ts";
import { describeInBrowser, storyBrowser } from "./browser.ts";
import { consoleSite } from "./console-site.ts";

describeInBrowser("a lost worker", () => {
  const db = testDatabase();
  const browser = storyBrowser();

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

    await workers.getByRole("link", { name: "Health", exact: true }).first().click();
    await workers.getByRole("row", { name: /Jobs recovered in the last hour [1-9]/ }).waitFor();
    await workers.getByRole("row", { name: /Event log lag –/ }).waitFor();
    await workers.getByRole("row", { name: /Completed jobs kept .* Rows: about/ }).waitFor();
  });
});
