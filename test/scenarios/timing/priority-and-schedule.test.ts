import { recordEvents, testDatabase } from "@lockstep/test-support";
import { definePipeline, snooze } from "lockstep";
import { beforeEach, expect, test } from "vitest";
import { storyEngine } from "../stories/story-engine.ts";
import { StoryTime } from "../stories/story-time.ts";
import { verifyAfterEach } from "../stories/verify-after-each.ts";

const db = testDatabase();
verifyAfterEach(db);
beforeEach(() => db.reset());

test("one processor takes the jobs by priority from 1 to 20, and equals in the order they came", async () => {
  const order: string[] = [];
  const narrow = definePipeline<string>("narrow").stage("run", { processors: 1 }, ({ payload }) => {
    order.push(payload);
  });
  const engine = storyEngine(db, { pipelines: [narrow] });
  const priorities = [7, 20, 1, 13, 4, 18, 10, 2, 16, 9, 5, 12, 19, 3, 15, 8, 11, 6, 17, 14];
  const added = await engine.addMany(
    narrow,
    ["first", "second"].flatMap((turn) =>
      priorities.map((priority) => ({ payload: `${priority} ${turn}`, priority })),
    ),
  );
  await engine.start();
  await Promise.all(added.map(({ id }) => engine.result(id, { timeoutMs: 60_000 })));

  expect(order).toEqual(
    Array.from({ length: 20 }, (_, index) => [`${index + 1} first`, `${index + 1} second`]).flat(),
  );
});

test("a scheduled job does not run before its time, and runs when it has come", async () => {
  const time = new StoryTime(db);
  const plain = definePipeline("plain").stage("run", () => "ran");
  const engine = storyEngine(db, { ...time.settings, pipelines: [plain] });
  const events = recordEvents(engine);
  await engine.start();
  // The database's clock is the real one.
  const { id, status } = await engine.add(plain, null, { scheduledFor: new Date(Date.now() + 600_000) });
  expect(status).toBe("scheduled");

  await time.pass(590_000);
  // When this one has run, a look was taken at that time.
  const { id: presentId } = await engine.add(plain, null);
  await events.next("job.completed", ({ jobId }) => jobId === presentId);
  expect((await engine.get(id))?.status).toBe("scheduled");

  await time.pass(10_000);
  await time.until(events.next("job.completed", ({ jobId }) => jobId === id));
});

test("a snoozed job comes back later with its only attempt unspent", async () => {
  const time = new StoryTime(db);
  let runs = 0;
  const sleepy = definePipeline("sleepy").stage("run", { maxAttempts: 1 }, ({ attempt }) => {
    runs += 1;
    return runs === 1 ? snooze({ forMs: 60_000 }) : attempt;
  });
  const engine = storyEngine(db, { ...time.settings, pipelines: [sleepy] });
  const events = recordEvents(engine);
  await engine.start();
  const { id } = await engine.add(sleepy, null);
  await events.next("job.snoozed");
  expect(await engine.get(id)).toMatchObject({ status: "scheduled", attempt: 0 });

  await time.pass(60_000);
  await time.until(events.next("job.completed"));
  const job = await engine.get(id);
  expect(job?.result).toBe(1);
  expect(job?.attempts.map(({ attempt, outcome }) => [attempt, outcome])).toEqual([
    [1, "snoozed"],
    [1, "done"],
  ]);
});
