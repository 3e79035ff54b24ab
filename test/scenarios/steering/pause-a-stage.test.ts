import { testDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { startWorker } from "../processes/worker-process.ts";
import { storyEngine } from "../stories/story-engine.ts";
import { storyPipelines } from "../stories/story-pipelines.ts";
import { verifyAfterEach } from "../stories/verify-after-each.ts";

const db = testDatabase();
verifyAfterEach(db);

const { relay } = storyPipelines();

test("a stage paused in one process stands still in another, and goes on when it is resumed", async () => {
  const client = storyEngine(db);
  const { id: firstId } = await client.add(relay, {});
  const worker = await startWorker(db, { pipelines: ["relay", "errand"] });
  await client.result(firstId, { timeoutMs: 60_000 });

  expect(await client.pause(relay, "shape")).toBe(true);
  const { id } = await client.add(relay, {});
  await worker.events.next("job.advanced", ({ jobId, nextStage }) => jobId === id && nextStage === "shape");
  // When this one is done, the worker has looked into every stage since the first came to the paused one.
  const { id: otherId } = await client.add(storyPipelines().errand, { do: "answer" });
  await client.result(otherId, { timeoutMs: 60_000 });
  expect(await client.get(id)).toMatchObject({ stage: "shape", status: "pending" });
  expect(await client.explain(id)).toContainEqual(expect.objectContaining({ reason: "paused" }));

  expect(await client.resume(relay, "shape")).toBe(true);
  expect(await client.result(id, { timeoutMs: 60_000 })).toEqual({ pid: worker.pid });
});

test("an engine that is not started adds and reads, and never works", async () => {
  await db.reset();
  const client = storyEngine(db);
  const { id } = await client.add(relay, {});
  expect(await client.workers()).toEqual([]);
  expect(client.health()).toBeNull();
  expect((await client.get(id))?.status).toBe("pending");

  const worker = await startWorker(db, { pipelines: ["relay"] });
  expect(await client.result(id, { timeoutMs: 60_000 })).toEqual({ pid: worker.pid });
  expect(await client.workers()).toHaveLength(1);
  expect((await client.get(id))?.outputs).toEqual({
    collect: { pid: worker.pid },
    shape: { pid: worker.pid },
    deliver: { pid: worker.pid },
  });
});
