// In real time: only a real process can be frozen.
import { testDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { endLease } from "../processes/end-lease.ts";
import { longLease } from "../processes/long-lease.ts";
import { startWorker } from "../processes/worker-process.ts";
import { holderOf } from "../stories/holder-of.ts";
import { storyEngine } from "../stories/story-engine.ts";
import { storyPipelines } from "../stories/story-pipelines.ts";
import { until } from "../stories/until.ts";
import { verifyAfterEach } from "../stories/verify-after-each.ts";

const db = testDatabase();
verifyAfterEach(db);

const { errand } = storyPipelines();

test("a worker frozen past its lease cannot complete its job late, and works again under a new id", async () => {
  const client = storyEngine(db);
  const workers = await Promise.all([
    startWorker(db, { settings: longLease }),
    startWorker(db, { settings: longLease }),
  ]);
  // Heedless: its completion must be refused by the fence, not held back by the abort signal.
  const { id } = await client.add(errand, { do: "wait", isHeedless: true });
  const { holder: frozen, other } = await holderOf(client, id, "run", workers);

  frozen.kill("SIGSTOP");
  await endLease(db, frozen);
  await other.events.next("job.started", ({ jobId }) => jobId === id);
  frozen.finish(id);
  frozen.kill("SIGCONT");
  await frozen.events.next("claim.lost", ({ jobId }) => jobId === id);
  expect(await client.get(id)).toMatchObject({ status: "processing", workerId: other.workerId });
  other.finish(id);
  expect(await client.result(id, { timeoutMs: 60_000 })).toEqual({ pid: other.pid });
  expect((await client.get(id))?.attempts.map(({ outcome }) => outcome)).toEqual(["lost", "done"]);

  await frozen.events.next("worker.lost", ({ workerId }) => workerId === frozen.workerId);
  await frozen.events.next("worker.registered", ({ workerId }) => workerId !== frozen.workerId);
  other.kill("SIGTERM");
  await other.ended;
  const { id: nextId } = await client.add(errand, { do: "answer" });
  expect(await client.result(nextId, { timeoutMs: 60_000 })).toEqual({ pid: frozen.pid });
});

test("a job that comes back to the process where its lost attempt still runs waits, and does not go round and round", async () => {
  const client = storyEngine(db);
  const worker = await startWorker(db, { settings: longLease });
  const { id } = await client.add(errand, { do: "wait", isHeedless: true });
  await worker.events.next("job.started");

  worker.kill("SIGSTOP");
  await endLease(db, worker);
  await until("the job is taken back", async () => (await client.resetStalled()) === 1);
  worker.kill("SIGCONT");
  await worker.events.next("job.snoozed", ({ jobId }) => jobId === id);
  worker.finish(id);
  await client.result(id, { timeoutMs: 60_000 });

  const outcomes = (await client.get(id))?.attempts.map(({ outcome }) => outcome) ?? [];
  expect(outcomes.at(0)).toBe("lost");
  expect(outcomes.at(-1)).toBe("done");
  expect(outcomes.length).toBeLessThan(6);
  expect(worker.events.all("claim.lost")).toHaveLength(1);
});
