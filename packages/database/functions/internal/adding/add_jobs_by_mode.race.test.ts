import { randomUUID } from "node:crypto";
import { JobFactory, testDatabase, untilBlocked } from "@lockstep/test-support";
import { beforeEach, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read"]);
});

const manyAtOnce = (count: number) => Promise.all(Array.from({ length: count }, () => db.connect()));
const addJobs = "select * from lockstep.add_jobs($1)";
const asJson = (...list: object[]) => [
  JSON.stringify(list.map((job) => ({ pipeline: "orders", dedupKey: "k", ...job }))),
];
const modes = [{ forMs: 60_000 }, { throttleMs: 60_000 }, { debounceMs: 60_000 }];

test.each(modes)("16 callers who add a key with %j at once get one job", async (dedup) => {
  const clients = await manyAtOnce(16);
  const answers = await Promise.all(clients.map((client) => client.query(addJobs, asJson({ dedup }))));
  const rows = answers.flatMap((answer) => answer.rows);
  expect(rows.filter(({ created }) => created)).toHaveLength(1);
  expect(new Set(rows.map(({ id }) => id)).size).toBe(1);
  expect(await db.query("select 1 from lockstep.jobs")).toHaveLength(1);
  expect(await db.call("verify")).toEqual([]);
});

test.each(modes)(
  "an add with %j waits for one that is not committed, and counts when that is undone",
  async (dedup) => {
    const [first, second] = [await db.connect(), await db.connect()];
    await first.query("begin");
    const { rows } = await first.query(addJobs, asJson({ dedup }));
    expect((await first.query(addJobs, asJson({ dedup }))).rows).toEqual([{ ...rows[0], created: false }]);
    const waiting = second.query(addJobs, asJson({ dedup }));
    await untilBlocked(db);
    await first.query("rollback");
    expect((await waiting).rows).toMatchObject([{ created: true }]);
    expect(await db.query("select 1 from lockstep.jobs")).toHaveLength(1);
    expect(await db.call("verify")).toEqual([]);
  },
);

test.each(modes)("16 callers who add a key with %j whose time is over get one new job", async (dedup) => {
  const [mode = ""] = Object.keys(dedup);
  const old = await db.query<{ id: string }>(addJobs, asJson({ dedup: { [mode]: 1 } }));
  await db.value("cancel_job", { p_id: old[0]?.id });
  const clients = await manyAtOnce(16);
  const answers = await Promise.all(clients.map((client) => client.query(addJobs, asJson({ dedup }))));
  const rows = answers.flatMap((answer) => answer.rows);
  expect(rows.filter(({ created }) => created)).toHaveLength(1);
  expect(new Set(rows.map(({ id }) => id)).size).toBe(1);
  expect(await db.query("select 1 from lockstep.jobs")).toHaveLength(1);
});

test("calls that bring the same keys in other orders do not stand in each other's way", async () => {
  const clients = await manyAtOnce(8);
  const keyed = Array.from({ length: 40 }, (_, number) => ({
    dedupKey: `key ${number}`,
    dedup: modes[number % 3],
  }));
  for (let round = 0; round < 5; round += 1) {
    await Promise.all(
      clients.map((client, index) =>
        client.query(addJobs, asJson(...keyed.slice(index * 5), ...keyed.slice(0, index * 5))),
      ),
    );
  }
  expect(await db.query("select 1 from lockstep.jobs")).toHaveLength(40);
  expect(await db.call("verify")).toEqual([]);
});

test("a debounced add that meets a claim under way leaves that job alone", async () => {
  const worker = await jobs.aWorker({ at: new Date() });
  const [claimer, adder] = [await db.connect(), await db.connect()];
  const dedup = { debounceMs: 1 };
  const [added] = (await adder.query(addJobs, asJson({ dedup, payload: "old" }))).rows;
  await claimer.query("begin");
  const claim =
    "select id, payload from lockstep.claim_jobs($1, '{orders/read}', 1, p_now => now() + interval '1 second')";
  expect((await claimer.query(claim, [worker])).rows).toEqual([{ id: added.id, payload: "old" }]);
  const waiting = adder.query(addJobs, asJson({ dedup: { debounceMs: 60_000 }, payload: "new" }));
  await untilBlocked(db);
  await claimer.query("commit");
  const [second] = (await waiting).rows;
  expect(second).toMatchObject({ created: true, status: "scheduled" });
  expect(await jobs.read(added.id)).toMatchObject({ status: "processing", payload: "old" });
});

test("the same add sent twice at once counts once", async () => {
  const clients = await manyAtOnce(2);
  const dedup = { debounceMs: 60_000 };
  await db.query(addJobs, asJson({ dedup, payload: 0 }));
  for (let round = 1; round <= 20; round += 1) {
    const job = asJson({ dedup, id: randomUUID(), payload: round });
    await Promise.all(clients.map((client) => client.query(addJobs, job)));
  }
  expect(await db.query("select payload from lockstep.jobs")).toEqual([{ payload: 20 }]);
  expect(await db.query("select count(*)::integer as adds from lockstep.debounced_adds")).toEqual([
    { adds: 20 },
  ]);
});

test("of adds that are debounced while others claim, each is run or replaced by a later one", async () => {
  const [adder, ...claimers] = await manyAtOnce(5);
  const dedup = { debounceMs: 1, atMostMs: 5 };
  const ran: number[] = [];
  let isAdding = true;
  const workers: string[] = [];
  for (const _ of claimers) workers.push(await jobs.aWorker({ at: new Date(), leaseSeconds: 3_600 }));
  const claiming = claimers.map(async (client, index) => {
    for (;;) {
      const wasAdding = isAdding;
      const { rows } = await client.query("select * from lockstep.claim_jobs($1, '{orders/read}', 1)", [
        workers[index],
      ]);
      for (const { id, claim_token, payload } of rows) {
        ran.push(payload);
        await client.query("select lockstep.complete_job($1, $2)", [id, claim_token]);
      }
      if (!wasAdding && (await client.query("select from lockstep.jobs")).rowCount === 0) return;
    }
  });
  const answers: { id: string; created: boolean }[] = [];
  const add = async () => {
    const job = asJson({ dedup, payload: answers.length + 1 });
    answers.push(...((await adder?.query(addJobs, job))?.rows ?? []));
  };
  for (let round = 0; round < 15; round += 1) {
    for (let alone = 0; alone < 8; alone += 1) await add();
    // No claim comes between two adds of one transaction: some are replaced however fast the claims are.
    await adder?.query("begin");
    await add();
    await add();
    await adder?.query("commit");
  }
  isAdding = false;
  await Promise.all(claiming);
  // As many ran as were made, each with the last payload before its claim.
  expect(ran).toHaveLength(answers.filter(({ created }) => created).length);
  const lastOfEach = answers.flatMap(({ id }, index) => (answers[index + 1]?.id === id ? [] : [index + 1]));
  expect(ran.sort((one, other) => one - other)).toEqual(lastOfEach);
  expect(ran.length).toBeLessThanOrEqual(150 - 15);
  expect(await db.call("verify")).toEqual([]);
});
