import { randomUUID } from "node:crypto";
import { recordEvents, testDatabase } from "@lockstep/test-support";
import { DatabaseUnavailableError, type JobId } from "lockstep";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { TcpProxy } from "../faults/tcp-proxy.ts";
import { storyEngine } from "../stories/story-engine.ts";
import { type ErrandOutput, storyPipelines } from "../stories/story-pipelines.ts";
import { verifyAfterEach } from "../stories/verify-after-each.ts";

const db = testDatabase();
verifyAfterEach(db);
beforeEach(() => db.reset());

const { errand, relay } = storyPipelines();
// As a message of its own: what a session begins with has the word, too.
const commit = "commit\0";
let proxy: TcpProxy;
beforeAll(async () => {
  proxy = await TcpProxy.start(db.url);
});
afterAll(() => proxy.stop());

test("an add whose reply is lost is sent again and adds one job", async () => {
  const engine = storyEngine(proxy);
  await engine.add(errand, { do: "answer" }); // The pipelines are known from here on.

  const lost = proxy.lose({ toRequestWith: "lockstep_add_jobs" });
  const { id } = await engine.add(errand, { do: "answer" });
  await lost;

  const jobs = await engine.list();
  expect(jobs).toHaveLength(2);
  expect(jobs[0]?.id).toBe(id);
});

test("a debounced add whose reply is lost is sent again and does not undo a later one", async () => {
  const engine = storyEngine(proxy);
  const debounced = { dedupKey: "k", dedup: { debounceMs: 60_000 } };
  const { id } = await engine.add(errand, { do: "answer" }, { ...debounced, priority: 1 });

  const lost = proxy.lose({ toRequestWith: "lockstep_add_new_jobs" });
  const resent = engine.add(errand, { do: "answer" }, { ...debounced, priority: 2 });
  await lost;
  await db.call("add_job", {
    p_pipeline: errand.name,
    p_payload: { do: "answer" },
    p_priority: 3,
    p_dedup_key: "k",
    p_dedup: debounced.dedup,
  });

  expect(await resent).toEqual({ id, created: false, status: "scheduled" });
  expect(await engine.get(id)).toMatchObject({ priority: 3 });
  expect(await engine.list()).toHaveLength(1);
});

test("many adds whose commit is not answered are sent again and add each job once", async () => {
  const engine = storyEngine(proxy);
  const items = Array.from({ length: 1_500 }, () => ({ payload: { do: "answer" } as const }));

  const lost = proxy.lose({ toRequestWith: commit });
  const added = await engine.addMany(errand, items);
  await lost;

  const rows = await db.query<{ id: string }>("select id from lockstep.jobs");
  expect(rows.map(({ id }) => id).sort()).toEqual(added.map(({ id }) => id).sort());
  expect(rows).toHaveLength(1_500);
});

/** The ids of ended attempts are sent in binary form. */
const asSent = (id: string) => Buffer.from(id.replaceAll("-", ""), "hex");

test("a completion whose reply is lost is recognised when it is sent again", async () => {
  const client = storyEngine(db);
  const worker = storyEngine(proxy);
  const events = recordEvents(worker);
  await worker.start();
  const id = randomUUID() as JobId<ErrandOutput>;

  const lost = proxy.lose({ toRequestWith: asSent(id) });
  await client.add(errand, { do: "answer" }, { id });
  await lost;
  expect(await client.result(id, { timeoutMs: 60_000 })).toEqual({ pid: process.pid });
  await worker.stop();

  expect(events.all("job.started")).toHaveLength(1);
  expect(events.names()).not.toContain("claim.lost");
  expect((await client.get(id))?.attempts.map(({ outcome }) => outcome)).toEqual(["done"]);
});

test("a claim whose reply is lost is found out by the heartbeat and given back unspent", async () => {
  const client = storyEngine(db);
  const worker = storyEngine(proxy, { leaseMs: 60_000, heartbeatIntervalMs: 200 });
  const events = recordEvents(worker);
  await worker.start();
  const claimedId = randomUUID() as JobId<ErrandOutput>;
  // Its first stage is settled and its second one claimed by the call whose reply is lost.
  const keptId = randomUUID() as JobId<ErrandOutput>;

  const claimLost = proxy.lose({ with: claimedId });
  await client.add(errand, { do: "answer" }, { id: claimedId });
  await claimLost;
  const keptLost = proxy.lose({ toRequestWith: asSent(keptId) });
  await client.add(relay, {}, { id: keptId });
  await keptLost;
  expect(await client.get(claimedId)).toMatchObject({ status: "processing", attempt: 1 });
  expect(await client.get(keptId)).toMatchObject({ status: "processing", stage: "shape", attempt: 1 });
  // Not before no reply can be under way any more.
  await db.timePasses(21_000);

  await client.result(claimedId, { timeoutMs: 60_000 });
  await client.result(keptId, { timeoutMs: 60_000 });
  expect(outcomesOf(await client.get(claimedId))).toEqual(["run 1 released", "run 1 done"]);
  expect(outcomesOf(await client.get(keptId))).toEqual([
    "collect 1 done",
    "shape 1 released",
    "shape 1 done",
    "deliver 1 done",
  ]);
  await worker.stop();
  expect(events.all("job.started")).toHaveLength(4);
});

test("a registration whose reply is lost, and whose lease is over when it is sent again, is made under another id", async () => {
  const worker = storyEngine(proxy, { heartbeatIntervalMs: 200 });
  const events = recordEvents(worker);
  const declareLost = () =>
    db.query<{ id: string }>(
      "update lockstep.workers set lost_at = now() where lost_at is null returning id",
    );
  await worker.start();
  const { workerId } = await events.next("worker.registered");

  const lost = proxy.lose({ toRequestWith: "lockstep_register_worker" });
  await declareLost();
  await lost;
  const [unheard] = await declareLost();

  const { workerId: lastId } = await events.next("worker.registered");
  expect(unheard?.id).not.toBe(workerId);
  expect([workerId, unheard?.id]).not.toContain(lastId);
  const { id } = await worker.add(errand, { do: "answer" });
  expect(await worker.result(id, { timeoutMs: 60_000 })).toEqual({ pid: process.pid });
  expect(events.all("engine.error")).toEqual([]);
});

function outcomesOf(job: Awaited<ReturnType<ReturnType<typeof storyEngine>["get"]>>): string[] {
  return job?.attempts.map(({ stage, attempt, outcome }) => `${stage} ${attempt} ${outcome}`) ?? [];
}

test("a recorded act whose commit is not answered is sent again under its key, and is done once", async () => {
  const engine = storyEngine(proxy);
  const act = { user: "ada", action: "jobs.add", idempotency: { key: "k", requestHash: "h" } };
  const add = () => engine.recorded(act, (writes) => writes.add(errand, [{ payload: { do: "answer" } }]));

  await engine.add(errand, { do: "answer" }); // The pipelines are known from here on.
  await engine.recorded({ user: "ada", action: "jobs.add" }, (writes) => writes.add(errand, []));
  const lost = proxy.lose({ toRequestWith: commit });
  await expect(add()).rejects.toThrow(DatabaseUnavailableError);
  await lost;

  const { answer, isReplayed } = await add();
  expect(isReplayed).toBe(true);
  expect((await engine.list()).map(({ id }) => id)).toContain(answer[0]?.id);
  expect(await engine.list()).toHaveLength(2);
});
