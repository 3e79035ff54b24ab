// In real time: only a real process can be sent a signal.
import { testDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { longLease } from "../processes/long-lease.ts";
import { passLeases } from "../processes/pass-leases.ts";
import { startWorker } from "../processes/worker-process.ts";
import { storyEngine } from "../stories/story-engine.ts";
import { storyPipelines } from "../stories/story-pipelines.ts";
import { verifyAfterEach } from "../stories/verify-after-each.ts";

const db = testDatabase();
verifyAfterEach(db);

const { errand } = storyPipelines();
// The classic scan takes its batch whether or not a processor is idle, so that claimed jobs wait in memory.
const claimsAhead = { ...longLease, timing: "classic", pollIntervalMs: 100, assignIntervalMs: 50 } as const;

test("on SIGTERM running jobs finish, however many leases that takes, and waiting ones go back unspent", async () => {
  const client = storyEngine(db);
  const [long, short, ...waiting] = await client.addMany(errand, [
    { payload: { do: "wait" } },
    { payload: { do: "wait" } },
    ...Array.from({ length: 8 }, () => ({ payload: { do: "answer" } as const })),
  ]);
  if (long === undefined || short === undefined) throw new Error("addMany gave too few.");
  const draining = await startWorker(db, {
    processors: 2,
    settings: { ...claimsAhead, drainTimeoutMs: 600_000 },
  });
  await draining.events.next("job.started", ({ jobId }) => jobId === long.id);
  await draining.events.next("job.started", ({ jobId }) => jobId === short.id);
  // Sweeps all the while, and would take whatever the draining worker no longer held.
  const other = await startWorker(db, { settings: longLease });

  draining.kill("SIGTERM");
  for (const { id } of waiting) await draining.events.next("job.released", ({ jobId }) => jobId === id);
  draining.finish(short.id);
  for (const { id } of waiting) {
    expect(await client.result(id, { timeoutMs: 60_000 })).toEqual({ pid: other.pid });
  }
  expect(await client.result(short.id, { timeoutMs: 60_000 })).toEqual({ pid: draining.pid });
  await passLeases(db, 3);
  draining.finish(long.id);
  expect(await client.result(long.id, { timeoutMs: 60_000 })).toEqual({ pid: draining.pid });

  expect(await draining.ended).toMatchObject({ code: 0, signal: null });
  expect(draining.events.names()).not.toContain("worker.lost");
  for (const { id } of [long, short, ...waiting]) {
    const job = await client.get(id);
    expect(job).toMatchObject({ status: "completed", attempt: 1, losses: 0 });
    expect(job?.attempts.map(({ outcome }) => outcome)).toEqual(
      id === long.id || id === short.id ? ["done"] : ["released", "done"],
    );
  }
});

test("a job that takes longer than the drain may goes back unspent when that time is over", async () => {
  const client = storyEngine(db);
  const drainTimeoutMs = 2_000;
  const draining = await startWorker(db, { settings: { ...longLease, drainTimeoutMs } });
  const { id } = await client.add(errand, { do: "wait" });
  await draining.events.next("job.started");
  const other = await startWorker(db, { settings: longLease });

  const signalledAtMs = performance.now();
  draining.kill("SIGTERM");
  await draining.events.next("job.released", ({ jobId }) => jobId === id);
  expect(performance.now() - signalledAtMs).toBeGreaterThan(drainTimeoutMs);
  await other.events.next("job.started", ({ jobId }) => jobId === id);
  other.finish(id);
  expect(await client.result(id, { timeoutMs: 60_000 })).toEqual({ pid: other.pid });
  expect(await draining.ended).toMatchObject({ code: 0, signal: null });
  const job = await client.get(id);
  expect(job).toMatchObject({ status: "completed", attempt: 1, losses: 0 });
  expect(job?.attempts.map(({ outcome }) => outcome)).toEqual(["released", "done"]);
});

test("a second SIGTERM ends the drain at once, and the running job goes back unspent", async () => {
  const client = storyEngine(db);
  const worker = await startWorker(db, { settings: { drainTimeoutMs: 600_000 } });
  const { id } = await client.add(errand, { do: "wait" });
  await worker.events.next("job.started");

  worker.kill("SIGTERM");
  await worker.events.next("engine.stopping");
  expect((await client.get(id))?.status).toBe("processing");
  worker.kill("SIGTERM");

  expect(await worker.ended).toMatchObject({ code: 0, signal: null });
  expect(worker.events.all("job.log")).toContainEqual(
    expect.objectContaining({ message: "aborted", data: { reason: "shutdown" } }),
  );
  expect(await client.get(id)).toMatchObject({ status: "pending", attempt: 0, losses: 0 });
  await client.cancel(id);
});
