import { recordEvents, testDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { storyEngine } from "../stories/story-engine.ts";
import { storyPipelines } from "../stories/story-pipelines.ts";
import { StoryTime } from "../stories/story-time.ts";
import { verifyAfterEach } from "../stories/verify-after-each.ts";

const db = testDatabase();
verifyAfterEach(db);

const { errand } = storyPipelines();

test("classic timing scans every 60 seconds for 10 jobs, and assigns 3 every 5 seconds", async () => {
  const time = new StoryTime(db);
  const engine = storyEngine(db, { ...time.settings, pipelines: [errand], timing: "classic" });
  const events = recordEvents(engine);
  const claimed = () => events.all("job.claimed").length;
  const started = () => events.all("job.started").length;
  await engine.addMany(
    errand,
    Array.from({ length: 25 }, () => ({ payload: { do: "answer" } as const })),
  );

  // The first scan comes with the start; the first assignment found nothing to assign yet.
  await engine.start();
  for (let count = 0; count < 10; count += 1) await events.next("job.claimed");
  expect(started()).toBe(0);
  for (const total of [3, 6, 9, 10]) {
    await time.pass(5_000);
    expect(started()).toBe(total);
  }
  for (let count = 0; count < 10; count += 1) await events.next("job.completed");

  // Ten processors are idle and fifteen jobs wait, but it is not yet time; not even a new one changes that.
  await engine.add(errand, { do: "answer" });
  await time.pass(39_000);
  expect(await pending()).toBe(16);
  expect(claimed()).toBe(10);

  await time.pass(1_000);
  for (let count = 0; count < 10; count += 1) await events.next("job.claimed");
  expect(await pending()).toBe(6);
  // The assignment of the same instant may have seen them already.
  const startedBefore = started();
  await time.pass(5_000);
  expect(started() - startedBefore).toBe(3);
});

async function pending(): Promise<number> {
  const rows = await db.query("select id from lockstep.jobs where status = 'pending'");
  return rows.length;
}
