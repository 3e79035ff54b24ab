// In real time: only a real process can be killed or frozen.
import { testDatabase } from "@lockstep/test-support";
import type { UnknownPolicy } from "lockstep";
import { beforeEach, expect, test } from "vitest";
import { endLease } from "../processes/end-lease.ts";
import { longLease } from "../processes/long-lease.ts";
import { startWorker } from "../processes/worker-process.ts";
import { startProvider } from "../stories/provider.ts";
import { storyEngine } from "../stories/story-engine.ts";
import { storyPipelines } from "../stories/story-pipelines.ts";
import { verifyAfterEach } from "../stories/verify-after-each.ts";

const db = testDatabase();
verifyAfterEach(db);
beforeEach(() => db.reset());

const { letter } = storyPipelines();
const aWorker = () => startWorker(db, { pipelines: ["letter"], settings: longLease });

test("a worker killed in the middle of an effect leaves it in doubt, and each effect's policy says what then", async () => {
  const client = storyEngine(db);
  const provider = await startProvider();
  const add = (name: string, unknown: UnknownPolicy, waits?: "after") =>
    client.add(letter, { providerUrl: provider.urlOf(name), unknown, ...(waits && { waits }) });
  const killed = await aWorker();
  const [retried, skipped, failed, done] = await Promise.all([
    add("retried", "retry"),
    add("skipped", "skip"),
    add("failed", "fail"),
    add("done", "fail", "after"),
  ]);
  provider.answer("done");
  await Promise.all(["retried", "skipped", "failed"].map((name) => provider.called(name)));
  await killed.events.next("job.log", ({ jobId, message }) => jobId === done.id && message === "sent");

  killed.kill("SIGKILL");
  await killed.ended;
  for (const name of ["retried", "skipped", "failed"]) provider.answer(name);
  const other = await aWorker();
  await endLease(db, killed);
  other.finish(done.id);

  expect(await client.result(retried.id, { timeoutMs: 60_000 })).toEqual({ number: 2 });
  expect(await client.result(skipped.id, { timeoutMs: 60_000 })).toBeNull();
  expect(await client.result(done.id, { timeoutMs: 60_000 })).toEqual({ number: 1 });
  await expect(client.result(failed.id, { timeoutMs: 60_000 })).rejects.toThrow(
    `It is not known whether effect "letter" of job ${failed.id} happened`,
  );

  const [first, second] = provider.keysOf("retried");
  expect(second).toBe(first);
  for (const name of ["skipped", "failed", "done"]) expect(provider.keysOf(name)).toHaveLength(1);
  expect(await client.effects(failed.id)).toMatchObject([
    { key: "letter", state: "unknown", idempotencyKey: provider.keysOf("failed")[0], starts: 1 },
  ]);
});

test("a worker frozen past its lease begins no effect, and one that it had finished is known to the next", async () => {
  const client = storyEngine(db);
  const provider = await startProvider();
  const add = (name: string) =>
    client.add(letter, { providerUrl: provider.urlOf(name), unknown: "retry", waits: "before" });
  const frozen = await aWorker();
  const [called, uncalled] = await Promise.all([add("called"), add("uncalled")]);
  const started = (jobs: readonly { id: string }[], { events }: typeof frozen) =>
    Promise.all(jobs.map(({ id }) => events.next("job.started", ({ jobId }) => jobId === id)));
  await started([called, uncalled], frozen);
  frozen.finish(called.id);
  await provider.called("called");

  frozen.kill("SIGSTOP");
  const other = await aWorker();
  await endLease(db, frozen);
  await started([called, uncalled], other);
  provider.answer("called");
  provider.answer("uncalled");
  frozen.finish(uncalled.id);
  frozen.kill("SIGCONT");
  await frozen.events.next("claim.lost", ({ jobId }) => jobId === called.id);
  await frozen.events.next("claim.lost", ({ jobId }) => jobId === uncalled.id);
  expect(provider.keysOf("uncalled")).toEqual([]);
  expect(await client.effects(called.id)).toMatchObject([{ state: "done", value: { number: 1 } }]);

  other.finish(called.id);
  other.finish(uncalled.id);
  expect(await client.result(called.id, { timeoutMs: 60_000 })).toEqual({ number: 1 });
  expect(await client.result(uncalled.id, { timeoutMs: 60_000 })).toEqual({ number: 1 });
  expect(provider.keysOf("called")).toHaveLength(1);
  expect(provider.keysOf("uncalled")).toHaveLength(1);
});
