import { JobFactory, noon, testDatabase, untilBlocked } from "@lockstep/test-support";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);

beforeEach(() => db.reset());

const orders = { name: "orders", stages: [{ name: "read" }, { name: "send" }], options: { version: 1 } };
const letters = { name: "letters", stages: [{ name: "print" }], options: {} };

const define = (...pipelines: unknown[]) => db.call("define_pipelines", { p_pipelines: pipelines });

async function stageIds(): Promise<Record<string, number>> {
  const rows = await db.query<{ name: string; id: number }>("select name, id from lockstep.stages");
  return Object.fromEntries(rows.map(({ name, id }) => [name, id]));
}

const changed = (stages: object[], attempts: number) =>
  stages.map((stage) => ({ ...stage, maxAttempts: attempts }));

/** Both, changed, as JSON. */
function bothChanged(names: readonly string[], attempts: number): string {
  return JSON.stringify(
    names.map((name) => {
      const pipeline = name === "orders" ? orders : letters;
      return { ...pipeline, stages: changed(pipeline.stages, attempts) };
    }),
  );
}

test("all are defined by one call, which returns their stages in the order given", async () => {
  const answer = await define(orders, letters);
  const ids = await stageIds();
  expect(answer).toEqual([
    { pipeline: "orders", stage: "read", stage_id: ids.read },
    { pipeline: "orders", stage: "send", stage_id: ids.send },
    { pipeline: "letters", stage: "print", stage_id: ids.print },
  ]);
  expect(await define(letters)).toEqual(answer.slice(2));
  expect(await define()).toEqual([]);
});

test("what define_pipeline has stored is known to it, and the other way round", async () => {
  const stored = () =>
    db.query(
      "select p.xmin::text from lockstep.pipelines p union all select s.xmin::text from lockstep.stages s",
    );
  await jobs.aPipeline("orders", ["read", "send"], { version: 1 });
  await define(letters);
  const before = await stored();
  await define(orders, letters);
  await jobs.aPipeline("letters", ["print"], {});
  expect(await stored()).toEqual(before);
});

test("those that have not changed are neither locked nor written beside one that has", async () => {
  await define(orders, letters);
  const holder = await db.connect();
  onTestFinished(async () => void (await holder.query("rollback")));
  await holder.query("begin; select from lockstep.pipelines where name = 'orders' for update");
  const other = await db.connect();
  await other.query("set lock_timeout = '1s'");
  const given = JSON.stringify([orders, { ...letters, stages: changed(letters.stages, 9) }]);
  await other.query("select from lockstep.define_pipelines($1)", [given]);
  expect(await db.query("select max_attempts from lockstep.stages where name = 'print'")).toEqual([
    { max_attempts: 9 },
  ]);
});

test("an older version among them changes nothing, and the others are defined", async () => {
  await define({ ...orders, options: { version: 2 } });
  const ids = await stageIds();
  const older = { ...orders, stages: [{ name: "read", maxAttempts: 9 }], options: { version: 1 } };
  expect(await define(older, letters)).toEqual([
    { pipeline: "orders", stage: "read", stage_id: ids.read },
    { pipeline: "letters", stage: "print", stage_id: expect.any(Number) },
  ]);
  expect(await db.query("select max_attempts from lockstep.stages where name = 'read'")).toEqual([
    { max_attempts: 3 },
  ]);
});

describe("processes that define at the same time", () => {
  test("the same pipelines in another order do not deadlock", async () => {
    await define(orders, letters);
    const [holder, first, second] = [await db.connect(), await db.connect(), await db.connect()];
    await holder.query("begin; select from lockstep.pipelines where name = 'letters' for update");
    const firstDone = first.query("select from lockstep.define_pipelines($1)", [
      bothChanged(["letters", "orders"], 7),
    ]);
    await untilBlocked(db);
    // In the order given it would now lock the orders and wait for the letters, while the first does the opposite.
    const secondDone = second.query("select from lockstep.define_pipelines($1)", [
      bothChanged(["orders", "letters"], 8),
    ]);
    await untilBlocked(db, 2);
    await holder.query("commit");
    await Promise.all([firstDone, secondDone]);
    expect(await db.query("select distinct max_attempts from lockstep.stages")).toEqual([
      { max_attempts: 8 },
    ]);
  });

  test("as jobs of several of them are settled lock these by id, and do not deadlock", async () => {
    await define(orders, letters);
    const worker = await jobs.aWorker();
    // The letters come first by name, and the order's id is the smaller one.
    const [low, high] = ["00000000-0000-7000-8000-000000000001", "00000000-0000-7000-8000-000000000002"];
    const letter = await jobs.aClaimedJob({
      by: worker,
      id: high,
      pipeline: "letters",
      stage: "letters/print",
    });
    const order = await jobs.aClaimedJob({ by: worker, id: low, pipeline: "orders", stage: "orders/read" });
    const [settler, definer] = [await db.connect(), await db.connect()];
    const settle = ({ id, claim_token }: typeof order) =>
      settler.query("select lockstep.complete_job($1, $2, p_now => $3)", [id, claim_token, noon]);
    await settler.query("begin");
    await settle(order);
    const limited = [orders, letters].map((pipeline) => ({
      ...pipeline,
      stages: pipeline.stages.map((stage) => ({ ...stage, concurrency: 5 })),
    }));
    const defining = definer.query("select from lockstep.define_pipelines($1)", [JSON.stringify(limited)]);
    await untilBlocked(db);
    await settle(letter);
    await settler.query("commit");
    await defining;
    expect(await db.call("verify", { p_now: noon })).toEqual([]);
  });
});

describe("definitions are refused, and change nothing,", () => {
  test.each([
    ["that are no array", { name: "orders" }, /needs an array/],
    ["that are missing", null, /needs an array/],
    ["with one that is no object", [letters, 7], /"" is not a valid name/],
    ["with one that has no stages", [letters, { name: "orders" }], /"orders" needs at least one stage/],
    ["with the same pipeline twice", [letters, orders, letters], /"letters" is given twice/],
  ])("%s", async (_case, pipelines, message) => {
    const refused = db.call("define_pipelines", { p_pipelines: pipelines });
    await expect(refused).rejects.toMatchObject({ code: "LS001", message: expect.stringMatching(message) });
    expect(await db.query("select from lockstep.pipelines")).toEqual([]);
  });
});
