// What a new process waits for, counted on the wire: each call is a round trip, which on a network costs more than its work.
import { createEngine, definePipeline } from "lockstep";
import { expect, onTestFinished, test } from "vitest";
import { countCalls } from "./counted-calls.ts";
import { quietDatabase } from "./quiet-database.ts";

const db = quietDatabase();
const letters = definePipeline<number>("letters").stage("print", () => 1);
const orders = (handler: () => unknown, timeoutMs = 60_000) =>
  definePipeline<number>("orders")
    .stage("read", { timeoutMs }, handler)
    .stage("send", () => 1);

async function anEngine(pipeline: ReturnType<typeof orders>) {
  const calls = await countCalls(db.url);
  const engine = createEngine({ databaseUrl: calls.url, pipelines: [pipeline, letters], logger: null });
  onTestFinished(() => engine.stop());
  return { engine, calls };
}

/** As the first process after a deploy does. */
async function defineOnce(pipeline: ReturnType<typeof orders>): Promise<void> {
  const { engine } = await anEngine(pipeline);
  await engine.add(pipeline, 0);
  await engine.stop();
}

test.each([
  ["add", "add_jobs_of_pipeline", {}],
  ["add with options", "add_new_jobs", { priority: 3 }],
  ["add with an id of its own", "add_jobs", { id: "0197a1b2-0000-7000-8000-000000000001" }],
])("a process whose pipelines are known needs one call for its first %s", async (_, name, options) => {
  const pipeline = orders(() => 1);
  await defineOnce(pipeline);
  const { engine, calls } = await anEngine(pipeline);
  const { id } = await engine.add(pipeline, 1, options);
  expect(calls.texts).toEqual([expect.stringContaining(`lockstep.${name}(`)]);
  expect(calls.connections).toBe(1);
  expect(await db.query("select payload from lockstep.jobs where id = $1", [id])).toEqual([{ payload: 1 }]);

  await engine.add(pipeline, 2);
  expect(calls.texts).toHaveLength(2);
  expect(calls.texts[1]).not.toContain("recognize_pipelines");
});

test("a worker whose pipelines are known has its first job with its second call", async () => {
  let callsUntilHandler = Number.NaN;
  let reach = () => {};
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  let countSoFar = () => Number.NaN;
  const pipeline = orders(() => {
    if (Number.isNaN(callsUntilHandler)) callsUntilHandler = countSoFar();
    reach();
  });
  await defineOnce(pipeline);
  const { engine, calls } = await anEngine(pipeline);
  countSoFar = () => calls.texts.length;
  await engine.start();
  await reached;
  expect(callsUntilHandler).toBe(2);
  expect(calls.texts.slice(0, 2)).toEqual([
    expect.stringMatching(/lockstep\.recognize_pipelines\(.*lockstep\.register_worker\(/s),
    expect.stringContaining("lockstep.settle_and_claim("),
  ]);
});

test("a process whose pipelines have changed defines all of them in one call before it adds", async () => {
  await defineOnce(orders(() => 1));
  const changed = orders(() => 1, 5_000);
  const { engine, calls } = await anEngine(changed);
  await engine.add(changed, 7);
  expect(calls.texts).toEqual([
    expect.stringContaining("lockstep.add_jobs_of_pipeline("),
    expect.stringContaining("lockstep.recognize_pipelines("),
    expect.stringContaining("lockstep.schema_version("),
    expect.stringContaining("lockstep.define_pipelines("),
    expect.stringContaining("lockstep.add_jobs("),
  ]);
  expect(await db.query("select timeout_ms::integer from lockstep.stages where name = 'read'")).toEqual([
    { timeout_ms: 5_000 },
  ]);
  expect(await db.query("select from lockstep.jobs where payload = '7'")).toHaveLength(1);
});
