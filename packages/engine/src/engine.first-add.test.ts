import { JobFactory, relayTo, testDatabase } from "@lockstep/test-support";
import { createEngine, definePipeline } from "lockstep";
import { beforeEach, expect, onTestFinished, test } from "vitest";

const db = testDatabase();
const factory = new JobFactory(db);
const orders = definePipeline("orders").stage("read", () => 1);

beforeEach(() => db.reset());

/** A port before PostgreSQL whose first connections break, so many, as in an outage that is over soon. */
async function aPortWithOutage(broken: number): Promise<{ url: string; isOver: () => boolean }> {
  let left = broken;
  const url = await relayTo(db.url, (client) => {
    if (left === 0) return;
    left -= 1;
    client.destroy();
  });
  return { url, isOver: () => left === 0 };
}

const ways = {
  add: (engine: ReturnType<typeof createEngine>) => engine.add(orders, 1).then(({ id }) => [id]),
  addMany: (engine: ReturnType<typeof createEngine>) =>
    engine.addMany(orders, [{ payload: 1 }]).then((added) => added.map(({ id }) => id)),
  addBatch: (engine: ReturnType<typeof createEngine>) =>
    engine.addBatch(orders, [{ payload: 1 }]).then(({ jobs }) => jobs.map(({ id }) => id)),
};

test.each(["add", "addMany", "addBatch"] as const)(
  "the first %s of a process is sent again when it meets an outage",
  async (way) => {
    const outage = await aPortWithOutage(3);
    const engine = createEngine({ databaseUrl: outage.url, pipelines: [orders], logger: null });
    onTestFinished(() => engine.stop());
    const [id] = await ways[way](engine);
    expect(outage.isOver()).toBe(true);
    expect(await factory.read(String(id))).toMatchObject({ payload: 1 });
    expect(await db.query("select from lockstep.jobs")).toHaveLength(1);
  },
);
