// In real time: the subject is what a browser shows while things happen, and when.
import { testDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { endLease } from "../scenarios/processes/end-lease.ts";
import { longLease } from "../scenarios/processes/long-lease.ts";
import { startWorker } from "../scenarios/processes/worker-process.ts";
import { storyPipelines } from "../scenarios/stories/story-pipelines.ts";
import { describeInBrowser, storyBrowser } from "./browser.ts";
import { consoleSite } from "./console-site.ts";

const itsUpkeep =
  "from pg_stat_activity where datname = current_database() and application_name = 'lockstep upkeep'";

describeInBrowser("a lost worker", () => {
  const db = testDatabase();
  const browser = storyBrowser();

  test("a killed worker is shown as lost, and its job as completed by another", async () => {
    const pipelines = Object.values(storyPipelines());
    const { url, engine } = await consoleSite(db, { engine: { pipelines } });
    const settings = longLease;
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
    await first.ended;
    // A sweep that it had begun would take its job back before anybody could see it lost.
    await expect.poll(() => db.query(`select ${itsUpkeep}`), { timeout: 30_000 }).toEqual([]);
    await endLease(db, first);
    await workers.locator("[data-worker=lost]").getByText("1 job goes back to pending").waitFor();
    await workers.locator("[data-worker=lost]").getByText("Was up").waitFor();

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
