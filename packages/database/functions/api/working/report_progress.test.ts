import { randomUUID } from "node:crypto";
import { JobFactory, noon, secondsAfter, testDatabase, untilBlocked } from "@lockstep/test-support";
import { beforeEach, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
let worker: string;

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read"]);
  worker = await jobs.aWorker();
});

test("the holder of a job says how far it has come", async () => {
  const { id, claim_token } = await jobs.aClaimedJob({ by: worker });
  const report = {
    p_id: id,
    p_claim_token: claim_token,
    p_percent: 41.7,
    p_note: "page 5",
    p_data: { page: 5 },
  };
  expect(await db.value("report_progress", report)).toBe("applied");
  expect(await jobs.read(id)).toMatchObject({
    progress: 42,
    progress_note: "page 5",
    progress_data: { page: 5 },
  });
});

test.each([
  [-3, 0],
  [100.4, 100],
  [250, 100],
])("%d percent is told as %i", async (percent, expected) => {
  const { id, claim_token } = await jobs.aClaimedJob({ by: worker });
  await db.value("report_progress", { p_id: id, p_claim_token: claim_token, p_percent: percent });
  expect(await jobs.read(id)).toMatchObject({ progress: expected });
});

test("a note is cut to 500 characters", async () => {
  const { id, claim_token } = await jobs.aClaimedJob({ by: worker });
  await db.value("report_progress", {
    p_id: id,
    p_claim_token: claim_token,
    p_percent: 1,
    p_note: "é".repeat(600),
  });
  expect(await jobs.read(id)).toMatchObject({ progress_note: "é".repeat(500) });
});

test("whoever does not hold the job is told lease_lost, and nothing changes", async () => {
  const { id, claim_token } = await jobs.aClaimedJob({ by: worker });
  const report = { p_id: id, p_percent: 50 };
  expect(await db.value("report_progress", { ...report, p_claim_token: randomUUID() })).toBe("lease_lost");
  await db.call("sweep_lost_workers", { p_now: secondsAfter(noon, 31) });
  expect(await db.value("report_progress", { ...report, p_claim_token: claim_token })).toBe("lease_lost");
  await jobs.claimAs(await jobs.aWorker({ at: secondsAfter(noon, 31) }), { at: secondsAfter(noon, 31) });
  expect(await db.value("report_progress", { ...report, p_claim_token: claim_token })).toBe("lease_lost");
  expect(await jobs.read(id)).toMatchObject({ progress: null });
});

test("many reports at once name the jobs that are no longer held", async () => {
  const mine = await jobs.aClaimedJob({ by: worker });
  const lost = await jobs.aClaimedJob({ by: worker });
  const rows = await db.call("report_progress_of_jobs", {
    p_reports: [
      { id: lost.id, token: randomUUID(), percent: 10 },
      { id: mine.id, token: mine.claim_token, percent: 20, note: "on", data: [1] },
    ],
  });
  expect(rows).toEqual([{ report_progress_of_jobs: lost.id }]);
  expect(await jobs.read(mine.id)).toMatchObject({ progress: 20, progress_note: "on", progress_data: [1] });
});

test("many reports lock their jobs in the order of the ids, as settling does", async () => {
  const [first, second] = [
    await jobs.aClaimedJob({ by: worker }),
    await jobs.aClaimedJob({ by: worker }),
  ].sort((a, b) => (a.id < b.id ? -1 : 1));
  const [other, reporter] = [await db.connect(), await db.connect()];
  await other.query("begin");
  await other.query("select from lockstep.jobs where id = $1 for update", [first?.id]);
  const reports = [second, first].map((job) => ({ id: job?.id, token: job?.claim_token, percent: 1 }));
  const waiting = reporter.query("select lockstep.report_progress_of_jobs($1)", [JSON.stringify(reports)]);
  await untilBlocked(db);
  // Whoever waits for the first does not hold the second meanwhile.
  await db.query("select from lockstep.jobs where id = $1 for update nowait", [second?.id]);
  await other.query("rollback");
  expect((await waiting).rows).toEqual([]);
});

const lines = [{ at: "2026-05-01T08:00:00.000Z", level: "info", message: "opened" }];

/** A held job that has logged a line. */
async function aLoggingJob() {
  const { id, claim_token } = await jobs.aClaimedJob({ by: worker });
  const held = { p_id: id, p_claim_token: claim_token };
  expect(await db.value("report_progress", { ...held, p_percent: null, p_log: lines })).toBe("applied");
  return { id, held };
}

const liveLogs = () => db.query("select log from lockstep.jobs");

test("the log of a running attempt is shown, and neither it nor progress touches the other", async () => {
  const { id, held } = await aLoggingJob();
  expect(await jobs.read(id)).toMatchObject({
    progress: null,
    attempts: [{ outcome: "processing", log: lines }],
  });
  await db.value("report_progress", { ...held, p_percent: 10, p_note: "on", p_data: [1] });
  const more = [...lines, ...lines];
  await db.value("report_progress", { ...held, p_percent: null, p_log: more });
  expect(await jobs.read(id)).toMatchObject({
    ...{ progress: 10, progress_note: "on", progress_data: [1] },
    attempts: [{ log: more }],
  });
});

test("whoever does not hold the job cannot write its log", async () => {
  const { id } = await aLoggingJob();
  const report = { p_id: id, p_claim_token: randomUUID(), p_percent: null, p_log: [] };
  expect(await db.value("report_progress", report)).toBe("lease_lost");
  expect(await liveLogs()).toEqual([{ log: lines }]);
});

test("lines alone are no event of the job's progress", async () => {
  await jobs.aPipeline("orders", ["read"], { events: true });
  await aLoggingJob();
  const kinds = await db.query<{ kind: string }>("select kind from lockstep.events");
  expect(kinds.map(({ kind }) => kind)).not.toContain("job.progress");
});

test.each([
  ["done", "done"],
  ["retry", "failed"],
  ["snooze", "snoozed"],
  ["release", "released"],
])(
  "a %s that goes on keeps the lines with the attempt, and the next begins without",
  async (outcome, ended) => {
    await jobs.aPipeline("orders", ["read", "write"]);
    const { id, held } = await aLoggingJob();
    await db.call("settle_jobs", {
      p_ids: [id],
      p_tokens: [held.p_claim_token],
      p_ends: [{ outcome, value: {}, delayMs: 0 }],
      p_now: noon,
    });
    expect(await liveLogs()).toEqual([{ log: null }]);
    expect((await jobs.read(id)).attempts).toMatchObject([{ outcome: ended, log: lines }]);
  },
);

test.each([
  ["done", "done"],
  ["give_up", "failed"],
])("a %s that ends the job keeps the lines", async (outcome, ended) => {
  const { id, held } = await aLoggingJob();
  await db.call("settle_jobs", {
    p_ids: [id],
    p_tokens: [held.p_claim_token],
    p_ends: [{ outcome, value: {} }],
  });
  expect(await liveLogs()).toEqual([]);
  expect((await jobs.read(id)).attempts).toMatchObject([{ outcome: ended, log: lines }]);
});

test("the log that an end tells is the one that is kept", async () => {
  const { id, held } = await aLoggingJob();
  const all = [...lines, ...lines];
  const p_ends = [{ outcome: "release", log: all }];
  await db.call("settle_jobs", { p_ids: [id], p_tokens: [held.p_claim_token], p_ends });
  expect((await jobs.read(id)).attempts).toMatchObject([{ outcome: "released", log: all }]);
});

test("an attempt that goes on in the next stage under a new claim begins without lines", async () => {
  const { write } = await jobs.aPipeline("orders", ["read", "write"]);
  const { id, held } = await aLoggingJob();
  await db.call("settle_jobs", {
    p_ids: [id],
    p_tokens: [held.p_claim_token],
    p_ends: [{ outcome: "done", keepIn: write }],
    p_stage_ids: [write],
    p_places: Array.from({ length: 20 }, () => 0),
    p_claim_token: randomUUID(),
  });
  const { attempts } = (await jobs.read(id)) as { attempts: object[] };
  expect(attempts).toMatchObject([{ outcome: "done", log: lines }, { outcome: "processing" }]);
  expect(attempts[1]).not.toHaveProperty("log");
});

test("what a worker logged before it was lost is kept, whether the job goes on or fails", async () => {
  await jobs.aPipeline("orders", [{ name: "read", maxLosses: 2 }]);
  const { id } = await aLoggingJob();
  await db.call("sweep_lost_workers", { p_now: secondsAfter(noon, 31) });
  expect(await liveLogs()).toEqual([{ log: null }]);
  expect((await jobs.read(id)).attempts).toMatchObject([{ outcome: "lost", log: lines }]);

  const [again] = await jobs.claimAs(await jobs.aWorker({ at: secondsAfter(noon, 40) }), {
    at: secondsAfter(noon, 40),
  });
  const last = [{ ...lines[0], message: "last words" }];
  const held = { p_id: id, p_claim_token: again?.claim_token };
  await db.value("report_progress", { ...held, p_percent: null, p_log: last });
  await db.call("sweep_lost_workers", { p_now: secondsAfter(noon, 80) });
  expect(await jobs.read(id)).toMatchObject({
    status: "failed",
    attempts: [
      { outcome: "lost", log: lines },
      { outcome: "lost", log: last },
    ],
  });
});

test("what a job logged that is cancelled by force is kept, and a retry by hand begins without", async () => {
  const { id } = await aLoggingJob();
  await db.call("heartbeat", { p_worker_id: worker, p_now: secondsAfter(noon, 20) });
  await db.call("cancel_job", { p_id: id, p_now: noon });
  await db.call("sweep_lost_workers", { p_now: secondsAfter(noon, 31) });
  expect((await jobs.read(id)).attempts).toMatchObject([{ outcome: "cancelled", log: lines }]);
  await db.call("retry_job", { p_id: id });
  expect(await liveLogs()).toEqual([{ log: null }]);
});
