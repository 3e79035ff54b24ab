// In real time: only a real process can die.
import { testDatabase } from "@lockstep/test-support";
import { JobFailedError } from "lockstep";
import { expect, test } from "vitest";
import { endLease } from "../processes/end-lease.ts";
import { longLease } from "../processes/long-lease.ts";
import { startWorker, type WorkerProcess } from "../processes/worker-process.ts";
import { storyEngine } from "../stories/story-engine.ts";
import { storyPipelines } from "../stories/story-pipelines.ts";
import { verifyAfterEach } from "../stories/verify-after-each.ts";

const db = testDatabase();
verifyAfterEach(db);

const { errand } = storyPipelines();

test("a job that kills its worker ends failed after three losses, and its neighbours complete", {
  timeout: 300_000,
}, async () => {
  const client = storyEngine(db);
  // In one claim, so that the first death hits them all.
  const [poison, ...bystanders] = await client.addMany(errand, [
    { payload: { do: "die" } },
    ...Array.from({ length: 20 }, () => ({ payload: { do: "linger", forMs: 50 } as const })),
  ]);
  if (poison === undefined) throw new Error("addMany gave nothing.");
  const allFinished = Promise.allSettled(
    [poison, ...bystanders].map(({ id }) => client.result(id, { timeoutMs: 240_000 })),
  );

  const dead: WorkerProcess[] = [];
  for (let isOver = false; !isOver; ) {
    const worker = await startWorker(db, { processors: 30, settings: longLease });
    for (const one of dead) await endLease(db, one);
    isOver = await Promise.race([allFinished.then(() => true), worker.ended.then(() => false)]);
    if (!isOver) dead.push(worker);
  }

  expect(dead).toHaveLength(3);
  const [poisoned, ...completed] = await allFinished;
  expect(poisoned).toMatchObject({ status: "rejected", reason: expect.any(JobFailedError) });
  for (const result of completed) expect(result.status).toBe("fulfilled");
  const job = await client.get(poison.id);
  expect(job).toMatchObject({ status: "failed", losses: 3, error: { name: "WorkerLostError" } });
  expect(job?.attempts.map(({ outcome }) => outcome)).toEqual(["lost", "lost", "lost"]);
  // They shared the worker's fate and were not blamed for it.
  const losses = await Promise.all(bystanders.map(async ({ id }) => (await client.get(id))?.losses));
  expect(losses).toEqual(Array(20).fill(2));
});
