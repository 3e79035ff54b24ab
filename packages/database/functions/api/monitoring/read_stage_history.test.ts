import { JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, describe, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
const minutesAfter = (instant: Date, minutes: number) => secondsAfter(instant, minutes * 60);

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read", "write"]);
});

const history = (args: Record<string, unknown>) =>
  db.call("read_stage_history", { p_pipeline: "orders", p_now: minutesAfter(noon, 10), ...args });
const fold = (at: Date) => db.value("fold_counters", { p_now: at });

/** Claims one job and completes it after it waited and ran for so long. */
async function work(worker: string, at: Date, { waitSeconds = 0, runSeconds = 1 } = {}): Promise<void> {
  await jobs.aPendingJob({ at });
  const claimedAt = secondsAfter(at, waitSeconds);
  const [claimed] = await jobs.claimAs(worker, { at: claimedAt });
  await db.value("complete_job", {
    p_id: claimed?.id,
    p_claim_token: claimed?.claim_token,
    p_now: secondsAfter(claimedAt, runSeconds),
  });
}

describe("what happened in a stage", () => {
  test.each([["folded"], ["not folded yet"], ["half folded"]])(
    "is told minute by minute, also where nothing did, when %s",
    async (how) => {
      const worker = await jobs.aWorker({ leaseSeconds: 3_600 });
      await work(worker, noon, { waitSeconds: 2, runSeconds: 1 });
      if (how === "half folded") await fold(secondsAfter(noon, 5));
      await work(worker, secondsAfter(noon, 10), { waitSeconds: 2, runSeconds: 1 });
      await work(worker, minutesAfter(noon, 2), { runSeconds: 1 });
      if (how === "folded") await fold(minutesAfter(noon, 5));

      const rows = await history({ p_stage: "read", p_from: noon, p_to: minutesAfter(noon, 3) });
      expect(rows).toMatchObject([
        { at: noon, stage: "read", entered: "2", started: "2", advanced: "2", completed: "0" },
        { at: minutesAfter(noon, 1), entered: "0", started: "0", advanced: "0", run_p50_ms: null },
        { at: minutesAfter(noon, 2), entered: "1", started: "1", advanced: "1" },
      ]);
      // Between the limits of their bucket.
      expect(rows[0]?.wait_p50_ms).toBeGreaterThanOrEqual(1_024);
      expect(rows[0]?.wait_p95_ms).toBeLessThanOrEqual(2_048);
      expect(rows[0]?.run_p50_ms).toBeGreaterThanOrEqual(512);
      expect(rows[0]?.run_p95_ms).toBeLessThanOrEqual(1_024);
    },
  );

  test("adds up in longer steps, cut in the same places whatever the start", async () => {
    const worker = await jobs.aWorker({ leaseSeconds: 36_000 });
    for (const minute of [0, 3, 7]) await work(worker, minutesAfter(noon, minute));
    await fold(minutesAfter(noon, 8));
    const fiveMinutes = { p_stage: "read", p_step: "5 minutes", p_to: minutesAfter(noon, 10) };
    const expected = [
      { at: noon, entered: "2" },
      { at: minutesAfter(noon, 5), entered: "1" },
    ];
    expect(await history({ ...fiveMinutes, p_from: noon })).toMatchObject(expected);
    expect(await history({ ...fiveMinutes, p_from: minutesAfter(noon, 1) })).toMatchObject(expected);
    expect(await history({ p_stage: "read", p_step: "1 day", p_from: noon })).toMatchObject([
      { at: new Date("2026-03-02T00:00:00Z"), entered: "3" },
    ]);
  });

  test.each([["folded"], ["not folded yet"]])(
    "adds up to the same by whole hours, the last of which ends where it is cut, when %s",
    async (how) => {
      const worker = await jobs.aWorker({ leaseSeconds: 360_000 });
      // Where hours begin at half past, those of UTC are folded all the same.
      await db.query("set timezone = 'Asia/Kolkata'");
      for (const minute of [0, 29, 31, 59, 60, 150, 185, 195]) await work(worker, minutesAfter(noon, minute));
      if (how === "folded") await fold(minutesAfter(noon, 200));
      await db.query("reset timezone");

      const span = { p_stage: "read", p_from: noon, p_to: minutesAfter(noon, 190) };
      const byMinute = await history({ ...span, p_step: "1 minute" });
      const entered = (rows: typeof byMinute) => rows.map((row) => Number(row.entered));
      const hours = Array.from({ length: 4 }, (_, hour) =>
        entered(byMinute.slice(hour * 60, hour * 60 + 60)).reduce((sum, jobs) => sum + jobs, 0),
      );
      expect(hours).toEqual([4, 1, 1, 1]);
      expect(entered(await history({ ...span, p_step: "1 hour" }))).toEqual(hours);
      expect(entered(await history({ ...span, p_step: "2 hours" }))).toEqual([5, 2]);
      expect(entered(await history({ ...span, p_step: "90 minutes" }))).toEqual([5, 1, 1]);
    },
  );

  test("does not depend on the caller's time zone", async () => {
    await jobs.aPendingJob({ at: new Date("2026-03-30T12:00:00Z") });
    await db.query("set timezone = 'Europe/Paris'");
    const rows = await history({
      p_stage: "read",
      p_step: "1 day",
      p_from: new Date("2026-03-28T00:00:00Z"),
      p_to: new Date("2026-03-31T00:00:00Z"),
    });
    await db.query("reset timezone");
    expect(rows.map(({ entered }) => entered)).toEqual(["0", "0", "1"]);
  });

  test("names each way an attempt can end", async () => {
    const worker = await jobs.aWorker({ leaseSeconds: 10 });
    const end = async (name: string, args: object = {}) => {
      const { id, claim_token } = await jobs.aClaimedJob({ by: worker, priority: 1 });
      await db.value(name, { p_id: id, p_claim_token: claim_token, p_now: noon, ...args });
      return id;
    };
    await end("fail_job", { p_error: {}, p_retry_after: "1 hour" });
    await end("fail_job", { p_error: {}, p_retry: false });
    await end("snooze_job", { p_for: "1 hour" });
    const released = await end("release_job");
    await db.value("cancel_job", { p_id: released, p_now: noon });
    await jobs.aClaimedJob({ by: worker });
    await db.call("sweep_lost_workers", { p_now: secondsAfter(noon, 30) });

    expect(await history({ p_stage: "read", p_from: noon, p_to: minutesAfter(noon, 1) })).toMatchObject([
      {
        entered: "5",
        started: "5",
        advanced: "0",
        completed: "0",
        retrying: "1",
        failed: "1",
        snoozed: "1",
        released: "1",
        lost: "1",
        cancelled: "1",
      },
    ]);
  });

  test("is told of all stages when none is named, in their order", async () => {
    const worker = await jobs.aWorker();
    await work(worker, noon);
    const rows = await history({ p_from: noon, p_to: minutesAfter(noon, 1) });
    expect(rows).toMatchObject([
      { stage: "read", entered: "1", advanced: "1" },
      { stage: "write", entered: "1", advanced: "0" },
    ]);
  });

  test("is that of the last hour when no time is given", async () => {
    const rows = await history({ p_stage: "read" });
    expect(rows).toHaveLength(60);
    expect(rows.at(-1)).toMatchObject({ at: minutesAfter(noon, 9) });
  });
});

test.each([
  ["a step below a minute", { p_step: "30 seconds" }, "LS001"],
  ["a step of a month", { p_step: "1 month" }, "LS001"],
  ["a time that ends before it begins", { p_from: minutesAfter(noon, 20) }, "LS001"],
  ["more than 1000 steps", { p_from: minutesAfter(noon, -1_100) }, "LS001"],
  ["a pipeline that is unknown", { p_pipeline: "nobody" }, "LS002"],
  ["a stage that is unknown", { p_stage: "nowhere" }, "LS003"],
])("%s is refused", async (_what, args, code) => {
  await expect(history(args)).rejects.toMatchObject({ code });
});
