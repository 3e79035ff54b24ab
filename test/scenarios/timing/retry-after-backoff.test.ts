import { recordEvents, testDatabase } from "@lockstep/test-support";
import { definePipeline } from "lockstep";
import { expect, test } from "vitest";
import { storyEngine } from "../stories/story-engine.ts";
import { StoryTime } from "../stories/story-time.ts";
import { verifyAfterEach } from "../stories/verify-after-each.ts";

const db = testDatabase();
verifyAfterEach(db);

const flaky = definePipeline<string>("flaky").stage("try", ({ payload, attempt }) => {
  if (payload === "fails first" && attempt === 1) throw new Error("not yet");
  return attempt;
});

test("a failed attempt runs again by itself after its backoff of one to two minutes, and not before", async () => {
  const time = new StoryTime(db);
  const engine = storyEngine(db, { ...time.settings, pipelines: [flaky] });
  const events = recordEvents(engine);
  await engine.start();
  const { id } = await engine.add(flaky, "fails first");
  const started = () => events.all("job.started").filter(({ jobId }) => jobId === id).length;
  await events.next("job.retrying", ({ jobId }) => jobId === id);

  await time.pass(59_000);
  // When this one has run, a look was taken at that time.
  const { id: laterId } = await engine.add(flaky, "works");
  await events.next("job.completed", ({ jobId }) => jobId === laterId);
  expect(started()).toBe(1);
  expect((await engine.get(id))?.status).toBe("retrying");

  await time.pass(62_000);
  await time.until(events.next("job.completed", ({ jobId }) => jobId === id));
  expect(started()).toBe(2);
  const job = await engine.get(id);
  expect(job?.result).toBe(2);
  expect(job?.attempts.map(({ attempt, outcome }) => [attempt, outcome])).toEqual([
    [1, "failed"],
    [2, "done"],
  ]);
});
