import { type ClaimedJob, JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read"]);
});

const explain = async (id: string, at: Date) => {
  const [waiting] = await db.call<{
    reason: string;
    explanation: string;
    detail: { ahead: number; isMoreAhead: boolean; endedPerMinute: number | null; startsAt: string | null };
  }>("explain_job", { p_id: id, p_now: at });
  if (waiting?.reason !== "waiting") throw new Error(`The job does not wait: ${waiting?.explanation}`);
  return waiting;
};

const addMany = (count: number, at = noon) =>
  db.call("add_jobs", { p_jobs: Array.from({ length: count }, () => ({ pipeline: "orders" })), p_now: at });

/** Two jobs at a time, each of three seconds, until the given moment or until this job is claimed: then it says when. */
function aSteadyRun(worker: string) {
  let at = noon;
  let held: ClaimedJob[] = [];
  return async (until: { at?: Date; claimed?: string }): Promise<Date> => {
    for (; until.at === undefined || at < until.at; at = secondsAfter(at, 3)) {
      for (const { id, claim_token } of held)
        await db.value("complete_job", { p_id: id, p_claim_token: claim_token, p_now: at });
      held = await jobs.claimAs(worker, { batchSize: 2, at });
      if (held.some(({ id }) => id === until.claimed)) return at;
      if (held.length === 0) throw new Error("The run ended too early.");
    }
    return at;
  };
}

test.each([
  { after: "after a minute", seconds: 60, isFolded: false },
  { after: "after seven minutes", seconds: 420, isFolded: true },
])("a job is told when it starts from what was served, $after", async ({ seconds, isFolded }) => {
  const worker = await jobs.aWorker({ serves: ["orders/read"], leaseSeconds: 86_400 });
  await addMany(400);
  const id = await jobs.aPendingJob();
  const run = aSteadyRun(worker);
  const askedAt = await run({ at: secondsAfter(noon, seconds) });
  if (isFolded) await db.value("fold_counters", { p_now: secondsAfter(askedAt, -40) });

  const { explanation, detail } = await explain(id, askedAt);
  const startedAt = await run({ claimed: id });

  expect(detail.isMoreAhead).toBe(false);
  expect(detail.endedPerMinute).toBeGreaterThan(36);
  expect(detail.endedPerMinute).toBeLessThan(44);
  expect(explanation).toMatch(
    /Recently [\d.]+ attempts a minute have ended there, so it should start in about \d+ s\.$/,
  );
  const foreseenSeconds = (new Date(detail.startsAt ?? 0).getTime() - askedAt.getTime()) / 1_000;
  const actualSeconds = (startedAt.getTime() - askedAt.getTime()) / 1_000;
  expect(foreseenSeconds / actualSeconds).toBeGreaterThan(0.8);
  expect(foreseenSeconds / actualSeconds).toBeLessThan(1.25);
});

test("what was served more than ten minutes ago says nothing about now", async () => {
  const worker = await jobs.aWorker({ serves: ["orders/read"], leaseSeconds: 86_400 });
  await addMany(20);
  await aSteadyRun(worker)({ at: secondsAfter(noon, 12) });
  const id = await jobs.aPendingJob();
  const { explanation, detail } = await explain(id, secondsAfter(noon, 720));
  expect(detail).toMatchObject({ endedPerMinute: null, startsAt: null });
  expect(explanation).toMatch(/When it will start is not known/);
});

test("a job of a paused stage is not told when it starts", async () => {
  const worker = await jobs.aWorker({ serves: ["orders/read"], leaseSeconds: 86_400 });
  await addMany(20);
  const at = await aSteadyRun(worker)({ at: secondsAfter(noon, 12) });
  const id = await jobs.aPendingJob({ at });
  await db.value("pause_stage", { p_pipeline: "orders", p_stage: "read", p_now: at });
  expect(await db.call("explain_job", { p_id: id, p_now: at })).toMatchObject([
    { reason: "paused" },
    { reason: "waiting", detail: { startsAt: null } },
  ]);
});

test("a job behind more than 10,000 is told the earliest it can start", async () => {
  const worker = await jobs.aWorker({ serves: ["orders/read"], leaseSeconds: 86_400 });
  await addMany(10_100);
  const at = await aSteadyRun(worker)({ at: secondsAfter(noon, 60) });
  const id = await jobs.aPendingJob({ at });
  const { explanation, detail } = await explain(id, at);
  expect(detail).toMatchObject({ ahead: 10_000, isMoreAhead: true });
  expect(explanation).toMatch(
    /^Jobs ahead of it in stage \w+: more than 10,000\. .* so it should start in at least \d+ s\.$/,
  );
});
