// In real time: how soon the cancel arrives is what is shown.
import { testDatabase } from "@lockstep/test-support";
import { JobCancelledError } from "lockstep";
import { expect, test } from "vitest";
import { startWorker } from "../processes/worker-process.ts";
import { storyEngine } from "../stories/story-engine.ts";
import { storyPipelines } from "../stories/story-pipelines.ts";
import { until } from "../stories/until.ts";
import { verifyAfterEach } from "../stories/verify-after-each.ts";

const db = testDatabase();
verifyAfterEach(db);

const { errand } = storyPipelines();

test.each([
  {
    way: "by a wake-up",
    // A heartbeat would come too late to be what brought it.
    settings: { leaseMs: 180_000, heartbeatIntervalMs: 60_000 },
    listeners: 1,
  },
  {
    way: "by the heartbeat where listening is impossible",
    settings: { transactionPooler: true, leaseMs: 60_000, heartbeatIntervalMs: 500, leaseMarginMs: 1_000 },
    listeners: 0,
  },
])("a cancel reaches a handler that runs in another process $way", async ({ settings, listeners }) => {
  const client = storyEngine(db);
  const worker = await startWorker(db, { settings });
  const { id } = await client.add(errand, { do: "wait" });
  await worker.events.next("job.started");
  // Whoever begins to listen also asks what was said before.
  await until("the worker listens if it can", async () => (await listening()) === listeners);

  expect(await client.cancel(id)).toBe("cancel_requested");
  await worker.events.next("job.log", ({ message }) => message === "aborted");
  await expect(client.result(id, { timeoutMs: 60_000 })).rejects.toThrow(JobCancelledError);

  expect(worker.events.all("job.log")).toContainEqual(
    expect.objectContaining({ jobId: id, message: "aborted", data: { reason: "cancel" } }),
  );
  const job = await client.get(id);
  expect(job?.status).toBe("cancelled");
  expect(job?.attempts.map(({ outcome }) => outcome)).toEqual(["cancelled"]);
});

async function listening(): Promise<number> {
  const rows = await db.query(
    `select pid from pg_stat_activity
     where datname = current_database() and query like 'listen lockstep\\_%'
       and state = 'idle' and state_change < clock_timestamp() - interval '500 milliseconds'`,
  );
  return rows.length;
}
