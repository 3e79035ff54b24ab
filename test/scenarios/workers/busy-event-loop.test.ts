// In real time: what is shown is that the heartbeat's own thread goes on while the main thread cannot.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testDatabase } from "@lockstep/test-support";
import { expect, onTestFinished, test } from "vitest";
import { longLease } from "../processes/long-lease.ts";
import { passLeases } from "../processes/pass-leases.ts";
import { startWorker } from "../processes/worker-process.ts";
import { storyEngine } from "../stories/story-engine.ts";
import { storyPipelines } from "../stories/story-pipelines.ts";
import { until } from "../stories/until.ts";
import { verifyAfterEach } from "../stories/verify-after-each.ts";

const db = testDatabase();
verifyAfterEach(db);

const { errand } = storyPipelines();

test("a handler that blocks the event loop for three leases keeps its job and completes it once", async () => {
  const client = storyEngine(db);
  const workers = await Promise.all([
    startWorker(db, { settings: longLease }),
    startWorker(db, { settings: longLease }),
  ]);

  const folder = await mkdtemp(join(tmpdir(), "lockstep-story-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const untilThereIs = join(folder, "an-end");
  const { id } = await client.add(errand, { do: "compute", untilThereIs });
  await until("a handler computes", async () => (await client.get(id))?.status === "processing");
  await passLeases(db, 3);
  await writeFile(untilThereIs, "");
  const result = await client.result(id, { timeoutMs: 60_000 });

  const job = await client.get(id);
  expect(job?.attempts).toMatchObject([{ attempt: 1, outcome: "done" }]);
  expect(job?.losses).toBe(0);
  for (const worker of workers) worker.kill("SIGTERM");
  await Promise.all(workers.map(({ ended }) => ended));
  const started = workers.filter(({ events }) => events.all("job.started").length > 0);
  expect(started.map(({ pid, events }) => [pid, events.all("job.started").length])).toEqual([
    [result.pid, 1],
  ]);
  for (const { events } of workers) expect(events.names()).not.toContain("worker.lost");
});
