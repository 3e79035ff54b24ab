import { testDatabase } from "@lockstep/test-support";
import { definePipeline } from "lockstep";
import { expect, test } from "vitest";
import { storyEngine } from "../stories/story-engine.ts";
import { until } from "../stories/until.ts";
import { verifyAfterEach } from "../stories/verify-after-each.ts";

const db = testDatabase();
verifyAfterEach(db);

const said = (by: string) => () => by;

test("a worker leaves alone what waits in a stage that newer code has put in", async () => {
  const old = definePipeline("orders").stage("read", said("old")).stage("write", said("old"));
  const newer = definePipeline("orders")
    .stage("read", said("newer"))
    .stage("check", said("newer"))
    .stage("write", said("newer"));
  const oldWorker = storyEngine(db, { pipelines: [old] });
  await oldWorker.start();
  const newEngine = storyEngine(db, { pipelines: [newer] });
  const { id } = await newEngine.add(newer, {});
  await until("the old worker has read it", async () => (await newEngine.get(id))?.stage === "check");

  // It has looked for work again after that, and been given some of what it knows, but not this one.
  const { id: later } = await newEngine.add(newer, {});
  await until("it has read another", async () => (await newEngine.get(later))?.stage === "check");
  expect(await newEngine.get(id)).toMatchObject({ stage: "check", status: "pending", attempt: 0 });
  expect((await newEngine.explain(id)).map(({ reason }) => reason)).toContain("no_worker");
  expect(await oldWorker.check()).toMatchObject([{ stage: "check", reason: "unknown_stage", jobs: 2 }]);

  await oldWorker.stop();
  await newEngine.start();
  expect(await newEngine.result(id, { timeoutMs: 60_000 })).toBe("newer");
  expect((await newEngine.get(id))?.outputs).toMatchObject({ read: "old", check: "newer" });
});
