import { JobFactory, noon, testDatabase, untilBlocked } from "@lockstep/test-support";
import { beforeEach, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
let worker: string;

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read"]);
  await jobs.aPipeline("report", ["write"]);
  worker = await jobs.aWorker({ leaseSeconds: 3_600 });
});

/** A closed batch with a job that follows it; its jobs are claimed. */
async function aBatch(count: number) {
  const [batch] = await db.call<{ id: string; follower_id: string }>("open_batch", {
    p_follower: { pipeline: "report" },
    p_now: noon,
  });
  const given = Array.from({ length: count }, () => ({ pipeline: "orders", batchId: batch?.id }));
  await db.call("add_jobs", { p_jobs: given, p_now: noon });
  await db.value("close_batch", { p_id: batch?.id, p_now: noon });
  return {
    id: batch?.id ?? "",
    followerId: batch?.follower_id ?? "",
    claimed: await jobs.claimAs(worker, { batchSize: count }),
  };
}

const completing = "select lockstep.complete_job($1, $2, p_now => $3) as answer";

test("two workers end the last two jobs at the same time, and the batch finishes once", async () => {
  const { id, followerId, claimed } = await aBatch(2);
  const [one, other] = [await db.connect(), await db.connect()];
  const [first, last] = claimed;
  await one.query("begin");
  await one.query(completing, [first?.id, first?.claim_token, noon]);
  // The second counts when the first has committed, and so sees that it is the last.
  const waiting = other.query(completing, [last?.id, last?.claim_token, noon]);
  await untilBlocked(db);
  expect(await jobs.read(followerId)).toMatchObject({ status: "scheduled" });
  await one.query("commit");
  expect((await waiting).rows).toEqual([{ answer: "applied" }]);

  expect(await db.call("get_batch", { p_id: id })).toMatchObject([{ state: "finished", completed: 2 }]);
  expect(await jobs.claimAs(worker, { stage: "report/write" })).toMatchObject([{ id: followerId }]);
  expect(
    await db.query(
      `select sum(jobs)::integer as moves from lockstep.stage_moves
       where moved_from = 'scheduled' and moved_to = 'pending'`,
    ),
  ).toEqual([{ moves: 1 }]);
});

test("a batch that is closed while its last job ends is finished by the later of the two", async () => {
  const [batch] = await db.call<{ id: string; follower_id: string }>("open_batch", {
    p_follower: { pipeline: "report" },
    p_now: noon,
  });
  await db.call("add_jobs", { p_jobs: [{ pipeline: "orders", batchId: batch?.id }], p_now: noon });
  const [last] = await jobs.claimAs(worker);
  const other = await db.connect();
  await other.query("begin");
  await other.query(completing, [last?.id, last?.claim_token, noon]);
  const closing = db.value("close_batch", { p_id: batch?.id, p_now: noon });
  const watcher = await db.connect();
  await untilBlocked({ ...db, query: async (text) => (await watcher.query(text)).rows });
  await other.query("commit");
  expect(await closing).toBe("closed");
  expect(await jobs.read(batch?.follower_id ?? "")).toMatchObject({ status: "pending" });
});

test("many connections end the jobs of two batches in every order, and nobody is lost or locked out", async () => {
  const [one, two] = [await aBatch(60), await aBatch(60)];
  const clients = await Promise.all(Array.from({ length: 8 }, () => db.connect()));
  const all = one.claimed.flatMap((job, index) => [job, two.claimed[index]]);
  const settling = `select * from lockstep.settle_jobs($1, $2, p_now => $3)`;
  await Promise.all(
    clients.map(async (client, index) => {
      // Some of both batches in each call, in calls of three.
      const mine = all.filter((_, number) => number % clients.length === index);
      for (let start = 0; start < mine.length; start += 3) {
        const some = mine.slice(start, start + 3);
        await client.query(settling, [some.map((job) => job?.id), some.map((job) => job?.claim_token), noon]);
      }
    }),
  );
  for (const { id, followerId } of [one, two]) {
    expect(await db.call("get_batch", { p_id: id })).toMatchObject([{ state: "finished", completed: 60 }]);
    expect(await jobs.read(followerId)).toMatchObject({ status: "pending" });
  }
  expect(await db.call("verify", { p_now: noon })).toEqual([]);
});

test("a parent is cancelled while its last child ends: one of the two is first, and neither waits for ever", async () => {
  await jobs.aPipeline("book", ["split", "bind"]);
  const book = await jobs.aClaimedJob({ pipeline: "book", by: worker, stage: "book/split" });
  await db.value("fan_out_job", {
    p_id: book.id,
    p_claim_token: book.claim_token,
    p_children: [{ pipeline: "orders" }],
    p_now: noon,
  });
  const [child] = await jobs.claimAs(worker);
  const [one, other] = [await db.connect(), await db.connect()];
  await one.query("begin");
  await one.query("select lockstep.cancel_job($1, p_now => $2)", [book.id, noon]);
  const ending = other.query(completing, [child?.id, child?.claim_token, noon]);
  await untilBlocked(db);
  await one.query("commit");
  await ending;
  expect(await jobs.read(book.id)).toMatchObject({ status: "cancelled" });
  expect(await db.query("select finished_at is not null as finished from lockstep.batches")).toEqual([
    { finished: true },
  ]);
  expect(await db.call("verify", { p_now: noon })).toEqual([]);
});
