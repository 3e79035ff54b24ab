// In real time: what is shown is that the heartbeat's own thread goes on while the main thread cannot.
import { testDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { shortLease } from "./short-lease.ts";
import { storyEngine } from "./story-engine.ts";
import { storyPipelines } from "./story-pipelines.ts";
import { verifyAfterEach } from "./verify-after-each.ts";
import { startWorker } from "./worker-process.ts";

const db = testDatabase();
verifyAfterEach(db);

const { errand } = storyPipelines();

test("a handler that blocks the event loop for three leases keeps its job and completes it once", async () => {
  const client = storyEngine(db);
  const workers = await Promise.all([
    startWorker(db, { settings: shortLease }),
    startWorker(db, { settings: shortLease }),
  ]);

  const { id } = await client.add(errand, { do: "compute", forMs: 3 * shortLease.leaseMs });
  const result = await client.result(id, { timeoutMs: 20_000 });

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
