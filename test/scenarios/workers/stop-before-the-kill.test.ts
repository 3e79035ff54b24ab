import { ManualClock, recordEvents, testDatabase } from "@lockstep/test-support";
import { definePipeline } from "lockstep";
import { expect, onTestFinished, test } from "vitest";
import { Engine } from "../../../packages/engine/src/engine.ts";
import { type EngineOptions, readEngineConfig } from "../../../packages/engine/src/engine-config.ts";
import { TcpProxy } from "../faults/tcp-proxy.ts";

const db = testDatabase();
// After that Kubernetes kills.
const patienceMs = 30_000;

/** A worker whose handler never ends, with everything under way that an engine may wait for, on a database that has fallen silent. */
async function anEngineInTheDark(options: Partial<EngineOptions> = {}) {
  await db.reset();
  const clock = new ManualClock();
  const proxy = await TcpProxy.start(db.url);
  const deaf = definePipeline("deaf", { events: true }).stage("run", () => new Promise<void>(() => {}));
  const config = readEngineConfig({ databaseUrl: proxy.url, pipelines: [deaf], logger: null, ...options });
  const engine = new Engine({ ...config, clock });
  onTestFinished(() => proxy.stop());
  const told = recordEvents(engine);
  await engine.start();
  const { id } = await engine.add(deaf, null);
  await told.next("job.started");
  engine.bulkRunner().start();
  const reader = engine.reader();
  proxy.hold("to server", "to client");
  const left = [
    engine.add(deaf, null),
    engine.result(id),
    engine.readEvents({ jobId: id }).next(),
    reader.events({ after: "start" }),
    engine.bulk.start({ action: "cancel", filter: { pipeline: "deaf" } }),
    engine.stats(),
  ];
  for (const call of left) call.catch(() => {});
  // Whatever looks now and then has begun to.
  await clock.advance(5_000);
  return { engine, clock };
}

/** How much of the clock's time a stop takes. It runs ahead of all that works for real, so every limit on the way is reached. */
async function stopTakesMs({ engine, clock }: { engine: Engine; clock: ManualClock }): Promise<number> {
  let isOver = false;
  const beganMs = clock.monotonicMs();
  const stopped = engine.stop().then(() => {
    isOver = true;
  });
  while (!isOver) await clock.advance(100);
  await stopped;
  return clock.monotonicMs() - beganMs;
}

test("a stop with a deaf handler and a silent database ends before Kubernetes kills, with the defaults", async () => {
  expect(await stopTakesMs(await anEngineInTheDark())).toBeLessThan(patienceMs);
});

test("what a silent database keeps from being settled holds up a stop for four seconds, and all else for five more", async () => {
  const inTheDark = await anEngineInTheDark({ drainTimeoutMs: 0, stopGraceMs: 0 });
  expect(await stopTakesMs(inTheDark)).toBeLessThan(4_000 + 5_000);
});

test("a start that waits for a silent database does not hold up the stop", async () => {
  const clock = new ManualClock();
  const proxy = await TcpProxy.start(db.url);
  onTestFinished(() => proxy.stop());
  proxy.hold("to server", "to client");
  const pipeline = definePipeline("any").stage("run", () => undefined);
  const engine = new Engine({
    ...readEngineConfig({ databaseUrl: proxy.url, pipelines: [pipeline], logger: null }),
    clock,
  });
  const started = engine.start().catch(() => {});
  expect(await stopTakesMs({ engine, clock })).toBeLessThan(patienceMs);
  await started;
});
