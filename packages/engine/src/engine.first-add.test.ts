import { once } from "node:events";
import { type AddressInfo, createServer, connect as dial, type Socket } from "node:net";
import { JobFactory, testDatabase } from "@lockstep/test-support";
import { createEngine, definePipeline } from "lockstep";
import { beforeEach, expect, onTestFinished, test } from "vitest";

const db = testDatabase();
const factory = new JobFactory(db);
const orders = definePipeline("orders").stage("read", () => 1);

beforeEach(() => db.reset());

/** A port before PostgreSQL whose first connections break, so many, as in an outage that is over soon. */
async function aPortWithOutage(broken: number): Promise<{ url: string; isOver: () => boolean }> {
  const target = new URL(db.url);
  const sockets = new Set<Socket>();
  let left = broken;
  const server = createServer((client) => {
    if (left > 0) {
      left -= 1;
      client.destroy();
      return;
    }
    const upstream = dial(Number(target.port), target.hostname);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.pipe(to);
      from.on("error", () => to.destroy());
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const { href } = Object.assign(new URL(db.url), { port: String(port) });
  return { url: href, isOver: () => left === 0 };
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
