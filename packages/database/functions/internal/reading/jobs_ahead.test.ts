import { JobFactory, noon, testDatabase } from "@lockstep/test-support";
import { beforeEach, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read"]);
});

async function add(groupKey: string | null, count: number, priority = 10): Promise<string[]> {
  const given = Array.from({ length: count }, () => ({ pipeline: "orders", priority, groupKey }));
  const rows = await db.call<{ id: string }>("add_jobs", { p_jobs: given, p_now: noon });
  return rows.map(({ id }) => id);
}

async function ahead(id: string): Promise<number> {
  const [job] = await db.query(
    `select stage_id as p_stage_id, priority as p_priority, group_key as p_group_key, position as p_position
     from lockstep.jobs where id = $1`,
    [id],
  );
  return db.value<number>("jobs_ahead", job);
}

/** The ids in the order in which one worker is given them, one by one. */
async function claimedInOrder(): Promise<string[]> {
  const worker = await jobs.aWorker();
  const order: string[] = [];
  for (;;) {
    const [claimed] = await jobs.claimAs(worker);
    if (claimed === undefined) return order;
    order.push(claimed.id);
  }
}

test("without groups it is exactly the number of claims before", async () => {
  const ids = [...(await add(null, 3)), ...(await add(null, 2, 1)), ...(await add(null, 2, 20))];
  const foreseen = new Map<string, number>();
  for (const id of ids) foreseen.set(id, await ahead(id));
  const order = await claimedInOrder();
  expect(ids.map((id) => foreseen.get(id))).toEqual(ids.map((id) => order.indexOf(id)));
});

test("with groups that take turns it is right to within one turn", async () => {
  const ids = [
    ...(await add("many", 20)),
    ...(await add("some", 6)),
    ...(await add(null, 4)),
    ...(await add("one", 1)),
    ...(await add("urgent", 3, 2)),
    ...(await add(null, 2, 3)),
    ...(await add("late", 5, 15)),
  ];
  const lines = 4;
  const foreseen = new Map<string, number>();
  for (const id of ids) foreseen.set(id, await ahead(id));
  const order = await claimedInOrder();
  expect(order).toHaveLength(ids.length);
  for (const [actual, id] of order.entries()) {
    expect(Math.abs((foreseen.get(id) ?? Number.NaN) - actual), `claim ${actual}`).toBeLessThanOrEqual(lines);
  }
});

test("a small group is not behind a large one", async () => {
  await add("large", 500);
  const [first, second] = await add("small", 2);
  expect(await ahead(String(first))).toBe(0);
  expect(await ahead(String(second))).toBe(2);
});

test.each([[null], ["group"]])("counts no further than 10,001 (group %s)", async (groupKey) => {
  await add(groupKey, 10_050);
  const [last] = await add(groupKey, 1);
  expect(await ahead(String(last))).toBe(10_001);
});
