import assert from "node:assert/strict";
import { after, before, test } from "node:test"; // or vitest, or jest: nothing here depends on it
import { createTestEngine, type TestEngine } from "@lockstep/testing";
import { definePipeline } from "lockstep";

const minutes = 60_000;
const reminder = definePipeline<{ to: string }>("reminder")
  .stage("compose", ({ payload }) => `Do not forget, ${payload.to}!`)
  .stage("send", { retry: { kind: "constant", baseMs: 10 * minutes, jitter: 0 } }, ({ output, attempt }) => {
    if (attempt < 3) throw new Error("the post office is closed");
    return { sent: output };
  });

let engine: TestEngine;
before(async () => {
  engine = await createTestEngine({ pipelines: [reminder], startAt: new Date("2026-03-01T08:00:00Z") });
});
after(() => engine.stop());

test("a reminder is sent at the third try, twenty minutes later", async () => {
  const { id } = await engine.add(reminder, { to: "Ada" });
  const job = await engine.runToEnd(id);
  assert.deepEqual(job.result, { sent: "Do not forget, Ada!" });
  assert.equal(job.errors.length, 2);
  assert.equal(job.finishedAt?.toISOString(), "2026-03-01T08:20:00.000Z");
});

test("a reminder for tomorrow waits until then", async () => {
  const tomorrow = new Date(engine.clock.now().getTime() + 24 * 60 * minutes);
  const { id } = await engine.add(reminder, { to: "Grace" }, { scheduledFor: tomorrow });
  await engine.runDue();
  assert.equal((await engine.engine.get(id))?.status, "scheduled");
  await engine.clock.advanceTo(tomorrow);
  await engine.runDue();
  assert.equal((await engine.engine.get(id))?.stage, "send");
});
