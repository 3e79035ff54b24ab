import { randomUUID } from "node:crypto";
import { JobFactory, noon, testDatabase } from "@lockstep/test-support";
import { beforeEach, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read", "write"]);
});

const idsFor = (payloads: readonly unknown[]) => payloads.map(() => randomUUID());

function add(payloads: readonly unknown[], given: { ids?: string[]; pipeline?: string } = {}) {
  const { ids = idsFor(payloads), pipeline = "orders" } = given;
  return db.query<{ id: string; created: boolean; status: string }>(
    "select * from lockstep.add_jobs_of_pipeline($1, $2, $3, p_now => $4)",
    [pipeline, ids, JSON.stringify(payloads), noon],
  );
}

test("jobs of one pipeline are what add_jobs would have made of them, and no row comes back", async () => {
  const payloads = [{ a: 1 }, null, "text", [2], 3];
  const [ids, twins] = [idsFor(payloads), idsFor(payloads)];
  expect(await add(payloads, { ids })).toEqual([]);
  const asJson = payloads.map((payload, index) => ({ pipeline: "orders", id: twins[index], payload }));
  await db.call("add_new_jobs", { p_jobs: asJson, p_now: noon });
  const stored = async (some: readonly string[]) =>
    db.query(
      `select to_jsonb(j) - 'id' - 'position' as job
       from lockstep.jobs j where j.id = any ($1) order by j.position`,
      [some],
    );
  expect(await stored(ids)).toHaveLength(5);
  expect(await stored(ids)).toEqual(await stored(twins));
  expect(await db.call("verify")).toEqual([]);
});

// As text, PostgreSQL spells a number out: a few stored bytes may become 100,000.
test.each([
  ["exponents", `[${Array(3).fill("1e130000")}]`, 390_009],
  ["zeros after the point", `[${Array(20).fill("0e-16000")}]`, 320_080],
])(
  "a payload that only its %s make larger than 256 KiB is refused, by whichever function",
  async (_of, payload, bytes) => {
    for (const call of [
      `select lockstep.add_jobs_of_pipeline('orders', array[gen_random_uuid()], '[${payload}]')`,
      `select lockstep.add_jobs('[{"pipeline": "orders", "payload": ${payload}}]')`,
      `select lockstep.add_job('orders', '${payload}')`,
    ]) {
      await expect(db.query(call)).rejects.toMatchObject({
        code: "LS001",
        message: expect.stringContaining(`the payload has ${bytes} bytes, but the limit is 262144`),
      });
    }
    expect(await db.query("select from lockstep.jobs")).toEqual([]);
  },
);

test("they are claimed in the order they were given", async () => {
  await add(Array.from({ length: 50 }, (_, index) => index));
  const claimed = await jobs.claimAs(await jobs.aWorker(), { batchSize: 50 });
  expect(claimed.map(({ payload }) => payload)).toEqual(Array.from({ length: 50 }, (_, index) => index));
});

test("a pipeline that logs its events and one that may be full get what they ask for", async () => {
  await jobs.aPipeline("letters", ["send"], { events: true });
  await add([1, 2], { pipeline: "letters" });
  expect(await db.query("select kind from lockstep.events")).toHaveLength(2);
  await jobs.aPipeline("parcels", ["send"], { maxPending: 2 });
  await add([1, 2], { pipeline: "parcels" });
  await expect(add([3], { pipeline: "parcels" })).rejects.toMatchObject({ code: "LS005" });
  expect(await db.query("select from lockstep.jobs")).toHaveLength(4);
  expect(await db.call("verify")).toEqual([]);
});

test("an id that a live job has leads to it, though it should be new", async () => {
  const [id = "", other = ""] = idsFor([1, 2]);
  await add([1], { ids: [id] });
  const again = await add([2, 3], { ids: [other, id] });
  expect(again).toEqual([{ id, created: false, status: "pending" }]);
  expect(await jobs.read(id)).toMatchObject({ payload: 1 });
  expect(await jobs.read(other)).toMatchObject({ payload: 2 });
  expect(await db.call("verify")).toEqual([]);
});

test("what is sent again by add_jobs leads to the job that has finished meanwhile", async () => {
  const id = randomUUID();
  await add([1], { ids: [id] });
  const [claimed] = await jobs.claimAs(await jobs.aWorker(), {});
  await db.call("fail_job", { p_id: id, p_claim_token: claimed?.claim_token, p_error: {}, p_retry: false });
  const again = await db.call("add_jobs", { p_jobs: [{ pipeline: "orders", id, payload: 1 }] });
  expect(again).toEqual([{ id, created: false, status: "failed" }]);
  expect(await db.query("select from lockstep.jobs")).toEqual([]);
});

test.each([
  { what: "an unknown pipeline", pipeline: "nowhere", payloads: [1], says: /There is no pipeline "nowhere"/ },
  {
    what: "a payload that is too large",
    payloads: [1, "x".repeat(262_145)],
    says: /Job 2 of 2 cannot be added: the payload has 262147 bytes/,
  },
  {
    what: "more ids than payloads",
    ids: idsFor([1, 2]),
    payloads: [1],
    says: /one payload for each of the/,
  },
])("$what is refused, and nothing is added", async ({ payloads, says, ...given }) => {
  await expect(add(payloads, given)).rejects.toThrow(says);
  expect(await db.query("select from lockstep.jobs")).toEqual([]);
  expect(await db.call("verify")).toEqual([]);
});
