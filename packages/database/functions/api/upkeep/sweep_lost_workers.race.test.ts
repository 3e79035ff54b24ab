import { JobFactory, noon, secondsAfter, testDatabase, untilBlocked } from "@lockstep/test-support";
import { beforeEach, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
const at = (seconds: number) => secondsAfter(noon, seconds);
let worker: string;

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read"]);
  worker = await jobs.aWorker({ leaseSeconds: 3_600 });
});

/** A batch of a claimed job and one that waits; without a time to start by that one is claimed too, and its cancel is requested. */
async function aBatch(openedAt: Date, startBy: Date | null) {
  const [batch] = await db.call<{ id: string }>("open_batch", { p_now: openedAt });
  const add = async (more: object) =>
    await db.call<{ id: string }>("add_jobs", {
      p_jobs: [{ pipeline: "orders", batchId: batch?.id, ...more }],
      p_now: openedAt,
    });
  await add({ priority: 1 });
  const [running] = await jobs.claimAs(worker, { at: openedAt });
  const [ending] = await add(startBy === null ? { priority: 1 } : { startBy });
  if (startBy === null) {
    await jobs.claimAs(worker, { at: openedAt });
    await db.value("cancel_job", { p_id: ending?.id, p_now: openedAt });
  }
  await db.value("close_batch", { p_id: batch?.id, p_now: openedAt });
  return { id: batch?.id ?? "", running };
}

const completing = "select lockstep.complete_job($1, $2, p_now => $3) as answer";

test.each<[string, Date | null, Date | null]>([
  ["jobs that have expired", at(60), at(60)],
  ["jobs that did not stop in time", null, null],
  ["jobs of both kinds", null, at(60)],
])(
  "a sweep that ends %s of two batches locks the newer batch first, as everybody does",
  async (_what, older, newer) => {
    const [first, second] = [await aBatch(noon, older), await aBatch(at(1), newer)];
    const [other, sweeper] = [await db.connect(), await db.connect()];
    await other.query("begin");
    const complete = async ({ running }: typeof first) =>
      (await other.query(completing, [running?.id, running?.claim_token, at(60)])).rows[0]?.answer;
    expect(await complete(second)).toBe("applied");
    const sweeping = sweeper.query("select * from lockstep.sweep_lost_workers(p_now => $1)", [at(60)]);
    await untilBlocked(db);
    // The sweep waits for the newer batch. If it had the older one already, each would wait for the other from here on.
    expect(await complete(first)).toBe("applied");
    await other.query("commit");
    await sweeping;
    for (const { id } of [first, second]) {
      expect(await db.call("get_batch", { p_id: id })).toMatchObject([{ state: "finished", completed: 1 }]);
    }
    expect(await db.call("verify", { p_now: at(60) })).toEqual([]);
  },
);
