// In real time: only a real process can be killed.
import { testDatabase } from "@lockstep/test-support";
import { beforeEach, expect, test } from "vitest";
import { endLease } from "../processes/end-lease.ts";
import { longLease } from "../processes/long-lease.ts";
import { startWorker } from "../processes/worker-process.ts";
import { holderOf } from "../stories/holder-of.ts";
import { storyEngine } from "../stories/story-engine.ts";
import { type Errand, storyPipelines } from "../stories/story-pipelines.ts";
import { until } from "../stories/until.ts";
import { verifyAfterEach } from "../stories/verify-after-each.ts";

const db = testDatabase();
beforeEach(() => db.reset());
verifyAfterEach(db);

const { errand, round } = storyPipelines();
const aWorker = () => startWorker(db, { pipelines: ["errand", "round"], processors: 4, settings: longLease });

test("a parent whose child's worker is killed goes on when another has done the child", async () => {
  const client = storyEngine(db);
  const workers = await Promise.all([aWorker(), aWorker()]);
  const errands: Errand[] = [...Array(20).fill({ do: "answer" }), { do: "wait" }];
  const { id } = await client.add(round, { errands });
  let child = "";
  await until("the last child is there", async () => {
    const [waiting] = await client.list({ pipeline: "errand", tag: "wait" });
    child = waiting?.id ?? "";
    return child !== "";
  });
  const { holder, other } = await holderOf(client, child, "run", workers);
  expect(await client.get(id)).toMatchObject({ stage: "count", status: "scheduled" });

  holder.kill("SIGKILL");
  await endLease(db, holder);
  await other.events.next("job.started", ({ jobId }) => jobId === child);
  other.finish(child);
  const pids = await client.result(id, { timeoutMs: 60_000 });

  expect(pids).toHaveLength(21);
  expect(pids.at(-1)).toBe(other.pid);
  expect(await client.get(child)).toMatchObject({ losses: 1, status: "completed" });
  expect(await client.list({ pipeline: "errand", limit: 100 })).toHaveLength(21);
});

test("a worker killed as it fans out leaves all children or none, and the parent has them once", async () => {
  const client = storyEngine(db);
  const victim = await aWorker();
  const errands: Errand[] = Array(3_000).fill({ do: "answer" });
  const { id } = await client.add(round, { errands, diesAfterAsking: victim.pid });
  await victim.ended;
  const [written] = await db.query<{ jobs: number }>("select count(*)::integer as jobs from lockstep.jobs");
  expect([1, 3_001]).toContain(written?.jobs);
  await aWorker();
  await endLease(db, victim);

  expect(await client.result(id, { timeoutMs: 60_000 })).toHaveLength(3_000);
  expect(await db.query("select total, completed from lockstep.batches")).toEqual([
    { total: 3_000, completed: 3_000 },
  ]);
});

test("workers that die one after another lose no job of a batch, and what follows it runs once", async () => {
  const client = storyEngine(db);
  const workers = await Promise.all([aWorker(), aWorker()]);
  const items = Array.from({ length: 300 }, (_, index): { payload: Errand } => ({
    payload: index % 50 === 7 ? { do: "linger", forMs: 300 } : { do: "answer" },
  }));
  const { id, followerId } = await client.addBatch(errand, items, {
    followedBy: { pipeline: round, payload: { errands: [] } },
  });
  for (const worker of workers) {
    await worker.events.next("job.started");
    worker.kill("SIGKILL");
  }
  await aWorker();
  for (const worker of workers) await endLease(db, worker);

  await client.result(followerId ?? "", { timeoutMs: 60_000 });
  expect(await client.batch(id)).toMatchObject({ state: "finished", total: 300, completed: 300 });
  expect(await client.get(followerId ?? "")).toMatchObject({ status: "completed", losses: 0 });
});
