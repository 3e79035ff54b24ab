import { randomUUID } from "node:crypto";
import { type ClaimedJob, JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, describe, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
let worker: string;

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", [
    {
      name: "read",
      maxAttempts: 3,
      retry: { kind: "exponential", baseMs: 120_000, capMs: 3_600_000, jitter: 0 },
    },
    "write",
  ]);
  worker = await jobs.aWorker({ leaseSeconds: 86_400 });
});

const broken = { name: "Error", message: "broken" };

const fail = (claimed: Pick<ClaimedJob, "id" | "claim_token"> | undefined, more: object = {}) =>
  db.value<string>("fail_job", {
    p_id: claimed?.id,
    p_claim_token: claimed?.claim_token,
    p_error: broken,
    p_now: noon,
    ...more,
  });

describe("a failed attempt", () => {
  test("waits for its backoff, which doubles, and is claimed again when due", async () => {
    const first = await jobs.aClaimedJob({ by: worker });
    expect(await fail(first)).toBe("applied");
    expect(await jobs.read(first.id)).toMatchObject({
      status: "retrying",
      attempt: 1,
      error: broken,
      scheduled_for: secondsAfter(noon, 120),
      worker_id: null,
      attempts: [{ stage: "read", attempt: 1, outcome: "failed", workerId: worker, error: broken }],
    });
    expect(await jobs.claimAs(worker, { at: secondsAfter(noon, 119) })).toEqual([]);

    const [second] = await jobs.claimAs(worker, { at: secondsAfter(noon, 120) });
    expect(second).toMatchObject({ id: first.id, attempt: 2 });
    await fail(second, { p_now: secondsAfter(noon, 130) });
    expect(await jobs.read(first.id)).toMatchObject({ scheduled_for: secondsAfter(noon, 370) });
  });

  test("that was the last one ends the job as failed, with the error of every attempt", async () => {
    const { id } = await jobs.aClaimedJob({ by: worker });
    const [row] = await db.query<{ claim_token: string }>("select claim_token from lockstep.jobs");
    let claimed: Pick<ClaimedJob, "id" | "claim_token"> | undefined = {
      id,
      claim_token: String(row?.claim_token),
    };
    for (const attempt of [1, 2, 3]) {
      await fail(claimed, { p_error: { message: `broken ${attempt}` }, p_retry_after: "0" });
      [claimed] = await jobs.claimAs(worker);
    }
    expect(claimed).toBeUndefined();
    expect(await jobs.read(id)).toMatchObject({
      status: "failed",
      attempt: 3,
      error: { message: "broken 3" },
      finished_at: noon,
      attempts: [1, 2, 3].map((attempt) => ({
        attempt,
        outcome: "failed",
        error: { message: `broken ${attempt}` },
      })),
    });
  });

  test("of a stage that allows one ends the job at once", async () => {
    await jobs.aPipeline("letters", [{ name: "send", maxAttempts: 1 }]);
    const claimed = await jobs.aClaimedJob({ by: worker, pipeline: "letters", stage: "letters/send" });
    await fail(claimed);
    expect(await jobs.read(claimed.id)).toMatchObject({ status: "failed", attempt: 1 });
  });

  test("that is not to be retried ends the job at once", async () => {
    const claimed = await jobs.aClaimedJob({ by: worker });
    expect(await fail(claimed, { p_retry: false })).toBe("applied");
    expect(await jobs.read(claimed.id)).toMatchObject({ status: "failed", attempt: 1, error: broken });
  });

  test("waits as long as it is told to in place of its backoff", async () => {
    const claimed = await jobs.aClaimedJob({ by: worker });
    await fail(claimed, { p_retry_after: "7 seconds" });
    expect(await jobs.read(claimed.id)).toMatchObject({ scheduled_for: secondsAfter(noon, 7) });
  });

  test.each([
    ["-1 day", noon],
    ["1000 years", new Date(noon.getTime() + 157_680_000_000)],
  ])("told to wait %s waits no less than nothing and no more than five years", async (span, expected) => {
    const claimed = await jobs.aClaimedJob({ by: worker });
    await fail(claimed, { p_retry_after: span });
    expect(await jobs.read(claimed.id)).toMatchObject({ status: "retrying", scheduled_for: expected });
  });
});

describe("the error of an attempt", () => {
  test.each([
    ["a plain text", "broken", { message: "broken" }],
    ["a number", 7, { message: "7" }],
    ["a JSON null", null, { message: "no message" }],
    ["an array", ["a"], { message: '["a"]' }],
  ])("given as %s is kept as its message", async (_case, error, expected) => {
    const claimed = await jobs.aClaimedJob({ by: worker });
    expect(
      (
        await db.query("select lockstep.fail_job($1, $2, $3, p_now => $4) as answer", [
          claimed.id,
          claimed.claim_token,
          JSON.stringify(error),
          noon,
        ])
      )[0],
    ).toEqual({ answer: "applied" });
    expect(await jobs.read(claimed.id)).toMatchObject({ error: expected });
  });

  test("that is missing is kept as one without a message", async () => {
    const claimed = await jobs.aClaimedJob({ by: worker });
    await fail(claimed, { p_error: null });
    expect(await jobs.read(claimed.id)).toMatchObject({ error: { message: "no message" } });
  });

  test("of 10 MB is cut, and the failure recorded all the same", async () => {
    const claimed = await jobs.aClaimedJob({ by: worker });
    expect(await fail(claimed, { p_error: { message: "x".repeat(10_000_000) } })).toBe("applied");
    const { error } = await jobs.read(claimed.id);
    expect(error).toEqual({ message: "x".repeat(8_192) });
  });
});

describe("the answer to a failure", () => {
  test("sent again is already_applied, while it retries and when it has failed", async () => {
    const first = await jobs.aClaimedJob({ by: worker });
    await fail(first, { p_retry_after: "0" });
    expect(await fail(first)).toBe("already_applied");
    const [second] = await jobs.claimAs(worker);
    expect(await fail(first)).toBe("already_applied");
    expect(await jobs.read(first.id)).toMatchObject({ status: "processing", attempt: 2 });
    await fail(second, { p_retry: false });
    expect(await fail(second)).toBe("already_applied");
  });

  test("under a wrong token, or one that was swept, is lease_lost and changes nothing", async () => {
    const claimed = await jobs.aClaimedJob({ by: worker });
    expect(await fail({ id: claimed.id, claim_token: randomUUID() })).toBe("lease_lost");
    expect(await jobs.read(claimed.id)).toMatchObject({ status: "processing", attempts: [{ attempt: 1 }] });
    await db.call("sweep_lost_workers", { p_now: secondsAfter(noon, 86_401) });
    expect(await fail(claimed)).toBe("lease_lost");
    expect(await jobs.read(claimed.id)).toMatchObject({ status: "pending", attempt: 0, losses: 1 });
  });
});
