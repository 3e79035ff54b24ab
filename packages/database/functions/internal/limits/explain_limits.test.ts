import { JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
let worker: string;

beforeEach(async () => {
  await db.reset();
});

/** With one worker and some jobs of one group claimed, why the next one of it does not run. */
async function explained(stage: object, claimed: number, groupKey?: string, at: Date = noon) {
  await jobs.aPipeline("orders", [{ name: "read", ...stage }]);
  worker = await jobs.aWorker({ serves: ["orders/read"] });
  for (let number = 0; number < claimed; number += 1) await jobs.aPendingJob({ groupKey });
  await jobs.claimAs(worker, { batchSize: claimed });
  const id = await jobs.aPendingJob({ groupKey });
  return db.call<{ reason: string; explanation: string; detail: object }>("explain_job", {
    p_id: id,
    p_now: at,
  });
}

test("a job held back by its stage's concurrency is told so", async () => {
  const [first, second] = await explained({ concurrency: 2 }, 2);
  expect(first).toEqual({
    reason: "stage_limit",
    explanation: "Stage read runs as many jobs as its concurrency allows: 2.",
    detail: { concurrency: 2 },
  });
  expect(second?.reason).toBe("waiting");
});

test("a job held back by its group's concurrency is told so", async () => {
  const [first] = await explained({ groupConcurrency: 1 }, 1, "ada");
  expect(first?.explanation).toBe(
    'Stage read runs as many jobs of group "ada" as its groupConcurrency allows: 1.',
  );
});

test.each([
  ["stage_rate", { rate: { jobs: 3, perMs: 60_000 } }, undefined],
  ["group_rate", { groupRate: { jobs: 3, perMs: 60_000 } }, "ada"],
])("a job held back by a %s is told until when", async (reason, stage, groupKey) => {
  const [first] = await explained(stage, 3, groupKey, secondsAfter(noon, 20));
  expect(first?.reason).toBe(reason);
  expect(first?.explanation).toMatch(/the next may start in 4[01] s\.$/);
});

test("a job held back by an open breaker is told so", async () => {
  const breaker = { minAttempts: 2, pauseMs: 30_000 };
  await jobs.aPipeline("orders", [{ name: "read", breaker }]);
  const failing = await jobs.aWorker();
  for (let number = 0; number < 3; number += 1) await jobs.aPendingJob();
  for (const { id, claim_token } of await jobs.claimAs(failing, { batchSize: 2 })) {
    await db.value("fail_job", {
      p_id: id,
      p_claim_token: claim_token,
      p_error: { message: "down" },
      p_now: noon,
    });
  }
  expect(await jobs.claimAs(failing)).toEqual([]);
  const [waiting] = await db.query<{ id: string }>("select id from lockstep.jobs where status = 'pending'");
  const reasons = await db.call<{ reason: string; explanation: string }>("explain_job", {
    p_id: waiting?.id,
    p_now: secondsAfter(noon, 10),
  });
  expect(reasons.find(({ reason }) => reason === "breaker_open")?.explanation).toBe(
    "The circuit breaker of stage read is open, since too many attempts failed. In 20 s it lets one job through as a probe.",
  );
});

test("a job that no limit holds back is told of none", async () => {
  const reasons = await explained({ concurrency: 3, rate: { jobs: 9, perMs: 1_000 } }, 2);
  expect(reasons.map(({ reason }) => reason)).toEqual(["waiting"]);
});
