import { ManualClock } from "@lockstep/test-support";
import { expect, test } from "vitest";
import type { UnknownJob } from "../../store/reading/job-store.ts";
import { UnknownJobs } from "./unknown-jobs.ts";

/** Jobs that somebody waits for; the database knows those that are not missing. */
function waitedFor(missing: Partial<UnknownJob>[]) {
  const clock = new ManualClock();
  const asked: (readonly string[])[] = [];
  const jobs = new UnknownJobs({
    clock,
    store: {
      unknownJobs: async (ids) => {
        asked.push(ids);
        return missing.map((job) => ({ id: "a", openFrom: 10n, begunUntil: 10n, ageMs: 60_000, ...job }));
      },
    },
  });
  jobs.enter("a");
  return { jobs, clock, asked };
}

test("nobody looks for a job in the first quarter of a second", async () => {
  const { jobs, clock, asked } = waitedFor([]);
  await clock.advance(249);
  expect([await jobs.find(["a"]), asked, jobs.isKnown("a")]).toEqual([[], [], null]);
  await clock.advance(1);
  expect([await jobs.find(["a"]), asked, jobs.isKnown("a")]).toEqual([[], [["a"]], true]);
});

test("a job that is there is not looked for again", async () => {
  const { jobs, clock, asked } = waitedFor([]);
  await clock.advance(250);
  await jobs.find(["a"]);
  await jobs.find(["a"]);
  expect(asked).toHaveLength(1);
});

test("a missing job is unknown once every transaction that was open then has ended", async () => {
  const missing = { openFrom: 8n, begunUntil: 10n };
  const { jobs, clock } = waitedFor([missing]);
  await clock.advance(250);
  expect(await jobs.find(["a"])).toEqual([]);
  missing.openFrom = 9n;
  expect(await jobs.find(["a"])).toEqual([]);
  missing.openFrom = 10n;
  expect(await jobs.find(["a"])).toEqual(["a"]);
  expect(jobs.isKnown("a")).toBe(false);
});

test.each([[100], [null]])("an id that is %s ms old may still be added for five seconds", async (ageMs) => {
  const { jobs, clock } = waitedFor([{ ageMs }]);
  await clock.advance(250);
  await jobs.find(["a"]);
  await clock.advance(4_000);
  expect(await jobs.find(["a"])).toEqual([]);
  await clock.advance(750);
  expect(await jobs.find(["a"])).toEqual(["a"]);
});
