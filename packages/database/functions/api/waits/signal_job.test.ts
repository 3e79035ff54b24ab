import { randomUUID } from "node:crypto";
import { type ClaimedJob, JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, describe, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
let worker: string;

const day = 86_400;
const later = secondsAfter(noon, 10);
const decision = {
  type: "object",
  properties: { approved: { type: "boolean" } },
  required: ["approved"],
};
const approval = { name: "approval", kind: "wait", waitMs: 3 * day * 1000, signalSchema: decision };

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["quote", approval, "ship"]);
  worker = await jobs.aWorker({ leaseSeconds: 30 * day });
});

async function done(claimed: ClaimedJob | undefined, output: unknown = null, at = noon): Promise<void> {
  const answer = await db.value("complete_job", {
    p_id: claimed?.id,
    p_claim_token: claimed?.claim_token,
    p_output: output,
    p_now: at,
  });
  expect(answer).toBe("applied");
}

/** A job that waits for its approval. */
async function waiting(options: { owner?: string; pipeline?: string } = {}): Promise<string> {
  const claimed = await jobs.aClaimedJob({
    by: worker,
    stage: `${options.pipeline ?? "orders"}/quote`,
    ...options,
  });
  await done(claimed, { price: 5 });
  return claimed.id;
}

const signal = (id: string, value: unknown = { approved: true }, more: Record<string, unknown> = {}) =>
  db.value<string>("signal_job", { p_id: id, p_name: "approval", p_value: value, p_now: later, ...more });

const violations = () => db.call("verify", { p_now: later });

describe("a job that waits", () => {
  test("is scheduled in the wait until its timeout, and no worker can claim it", async () => {
    const id = await waiting();
    expect(await jobs.read(id)).toMatchObject({
      stage: "approval",
      status: "scheduled",
      scheduled_for: secondsAfter(noon, 3 * day),
      wait: { kind: "wait", signal: "approval", onTimeout: "fail", notBy: null, schema: decision },
    });
    const at = secondsAfter(noon, 4 * day);
    expect(await jobs.claimAs(worker, { stage: "orders/approval", at })).toEqual([]);
    expect(await jobs.claimAs(worker, { stage: "orders/ship", at })).toEqual([]);
    expect(await jobs.read(id)).toMatchObject({ stage: "approval", status: "scheduled" });
  });

  test("says why it is not running", async () => {
    const id = await waiting();
    expect(await db.call("explain_job", { p_id: id, p_now: later })).toMatchObject([
      {
        reason: "waits_for_signal",
        explanation:
          "It waits for signal approval since 2026-03-02 12:00:00 UTC, until 2026-03-05 12:00:00 UTC (259190 s from now); then it fails.",
        detail: { signal: "approval", onTimeout: "fail" },
      },
    ]);
  });

  test("goes on with the signal as its output, and its end is in its history", async () => {
    const id = await waiting();
    expect(await signal(id, { approved: true }, { p_by: "ada" })).toBe("signalled");
    const job = await jobs.read(id);
    expect(job).toMatchObject({
      stage: "ship",
      status: "pending",
      outputs: { quote: { price: 5 }, approval: { approved: true } },
      wait: null,
    });
    expect(job.attempts).toMatchObject([
      { stage: "quote", outcome: "done" },
      { stage: "approval", outcome: "signalled", by: "ada" },
    ]);
    const [claimed] = await jobs.claimAs(worker, { stage: "orders/ship", at: later });
    expect(claimed?.output).toEqual({ approved: true });
    expect(await violations()).toEqual([]);
  });

  test("is completed with the signal, if the wait is its last stage", async () => {
    await jobs.aPipeline("talks", ["quote", { ...approval, waitMs: null }]);
    const id = await waiting({ pipeline: "talks" });
    expect(await jobs.read(id)).toMatchObject({ status: "scheduled", scheduled_for: null });
    expect(await signal(id)).toBe("signalled");
    expect(await jobs.read(id)).toMatchObject({
      status: "completed",
      result: { approved: true },
      outputs: { quote: { price: 5 }, approval: { approved: true } },
    });
    expect(await violations()).toEqual([]);
  });

  test("is cancelled at once", async () => {
    const id = await waiting();
    expect(await db.value("cancel_job", { p_id: id, p_now: later })).toBe("cancelled");
    expect(await signal(id)).toBe("already_finished");
    expect(await violations()).toEqual([]);
  });

  test("writes what happens to it to the realtime log", async () => {
    const id = await waiting({ owner: "ann" });
    await signal(id, { approved: true }, { p_by: "ada" });
    const events = await db.query(
      `select e.kind, s.name as stage, e.detail from lockstep.events e
       join lockstep.stages s on s.id = e.stage_id where e.job_id = $1 order by e.id`,
      [id],
    );
    expect(events).toMatchObject([
      { kind: "job.added" },
      { kind: "job.claimed" },
      { kind: "job.advanced", stage: "quote", detail: { nextStage: "approval" } },
      { kind: "job.waiting", stage: "approval", detail: { signal: "approval" } },
      { kind: "job.signalled", stage: "approval", detail: { signal: "approval", by: "ada" } },
      { kind: "job.advanced", stage: "approval", detail: { nextStage: "ship" } },
    ]);
  });
});

test("the history of a wait has how many jobs came, went on, and how long they waited", async () => {
  await signal(await waiting());
  await waiting();
  const [hour] = await db.call("read_stage_history", {
    p_pipeline: "orders",
    p_stage: "approval",
    p_from: noon,
    p_to: secondsAfter(noon, 3_600),
    p_step: "1 hour",
    p_now: later,
  });
  expect(hour).toMatchObject({ entered: "2", started: "0", advanced: "1", run_p50_ms: expect.any(Number) });
});

describe("a signal that comes early", () => {
  test("is kept, and taken when the job comes to the wait", async () => {
    const claimed = await jobs.aClaimedJob({ by: worker, stage: "orders/quote" });
    expect(await signal(claimed.id)).toBe("kept");
    expect(await jobs.read(claimed.id)).toMatchObject({ stage: "quote", status: "processing" });
    await done(claimed, null, later);
    expect(await jobs.read(claimed.id)).toMatchObject({
      stage: "ship",
      status: "pending",
      outputs: { approval: { approved: true } },
    });
    expect(await violations()).toEqual([]);
  });

  test("leads through several waits in a row, to the end of the pipeline", async () => {
    const second = { ...approval, name: "second" };
    await jobs.aPipeline("talks", ["quote", approval, second]);
    const claimed = await jobs.aClaimedJob({ by: worker, pipeline: "talks", stage: "talks/quote" });
    expect(await signal(claimed.id)).toBe("kept");
    expect(await signal(claimed.id, { approved: false }, { p_name: "second" })).toBe("kept");
    await done(claimed, null, later);
    expect(await jobs.read(claimed.id)).toMatchObject({
      status: "completed",
      result: { approved: false },
      outputs: { approval: { approved: true }, second: { approved: false } },
    });
    expect(await violations()).toEqual([]);
  });

  test("waits for the children of a fan-out that is before the wait", async () => {
    await jobs.aPipeline("parts", ["make"]);
    const claimed = await jobs.aClaimedJob({ by: worker, stage: "orders/quote" });
    const fanOut = await db.value("fan_out_job", {
      p_id: claimed.id,
      p_claim_token: claimed.claim_token,
      p_children: [{ pipeline: "parts", payload: 1 }],
      p_now: noon,
    });
    expect(fanOut).toBe("applied");
    expect(await jobs.read(claimed.id)).toMatchObject({ stage: "approval", wait: null });
    expect(await signal(claimed.id)).toBe("kept");
    expect(await violations()).toEqual([]);
    const [child] = await jobs.claimAs(worker, { stage: "parts/make" });
    await done(child, null, later);
    expect(await jobs.read(claimed.id)).toMatchObject({ stage: "ship", status: "pending" });
    expect(await violations()).toEqual([]);
  });
});

test("a wait after a fan-out begins when the children have ended, with its whole time", async () => {
  await jobs.aPipeline("parts", ["make"]);
  const claimed = await jobs.aClaimedJob({ by: worker, stage: "orders/quote" });
  await db.value("fan_out_job", {
    p_id: claimed.id,
    p_claim_token: claimed.claim_token,
    p_children: [{ pipeline: "parts", payload: 1 }],
    p_now: noon,
  });
  const [child] = await jobs.claimAs(worker, { stage: "parts/make" });
  await done(child, null, secondsAfter(noon, day));
  expect(await jobs.read(claimed.id)).toMatchObject({
    stage: "approval",
    status: "scheduled",
    scheduled_for: secondsAfter(noon, 4 * day),
    wait: { signal: "approval" },
  });
  // a child that is retried does not lead the parent out of its wait
  expect(await violations()).toEqual([]);
});

describe("a signal is refused, and changes nothing,", () => {
  test("if the wait has had one", async () => {
    const id = await waiting();
    await signal(id);
    expect(await signal(id, { approved: false })).toBe("already_signalled");
    const [ship] = await jobs.claimAs(worker, { stage: "orders/ship", at: later });
    await done(ship, null, later);
    expect(await signal(id, { approved: false })).toBe("already_signalled");
    expect((await jobs.read(id)).outputs).toMatchObject({ approval: { approved: true } });
  });

  test("if there is no such job, or no such wait", async () => {
    expect(await signal(randomUUID())).toBe("not_found");
    const id = await waiting();
    expect(await signal(id, null, { p_name: "quote" })).toBe("no_such_wait");
    expect(await signal(id, null, { p_name: "nothing" })).toBe("no_such_wait");
  });

  test("if its value does not fit the schema of the wait", async () => {
    const id = await waiting();
    await expect(signal(id, { approved: "yes" })).rejects.toMatchObject({
      code: "LS009",
      message: expect.stringContaining('does not fit the schema of wait "approval"'),
    });
    expect(await jobs.read(id)).toMatchObject({ stage: "approval", status: "scheduled" });
  });

  test("if the job has moved since it was looked at", async () => {
    const id = await waiting();
    expect(await signal(id, undefined, { p_if_version: "0123456789abcdef" })).toBe("changed");
    const { version } = await jobs.read(id);
    expect(await signal(id, undefined, { p_if_version: version })).toBe("signalled");
  });

  test("from the owner of the job, or from nobody, where the wait says so", async () => {
    await jobs.aPipeline("guarded", ["quote", { ...approval, notBy: "owner" }, "ship"]);
    const id = await waiting({ pipeline: "guarded", owner: "ann" });
    expect(await signal(id)).toBe("not_allowed");
    expect(await signal(id, undefined, { p_by: "ann" })).toBe("not_allowed");
    expect(await jobs.read(id)).toMatchObject({ stage: "approval" });
    expect(await signal(id, undefined, { p_by: "ada" })).toBe("signalled");
  });
});

test("a signal is recorded with who sent it and what became of it", async () => {
  const id = await waiting();
  await signal(id, { approved: true }, { p_by: "ada" });
  await signal(id, { approved: true }, { p_by: "bob" });
  await signal(id, { approved: true }, { p_by: "eve", p_is_recorded: true });
  expect(await db.call("list_actions", {})).toMatchObject([
    { user_name: "bob", action: "jobs.signal", target: `jobs/${id}`, outcome: "already_signalled" },
    { user_name: "ada", action: "jobs.signal", outcome: "signalled", detail: { signal: "approval" } },
  ]);
});

describe("a paused wait", () => {
  test("keeps signals and lets nothing through, until it is resumed", async () => {
    const id = await waiting();
    const stage = { p_pipeline: "orders", p_stage: "approval" };
    await db.value("pause_stage", { ...stage, p_now: noon });
    expect(await signal(id)).toBe("kept");
    await db.call("end_due_waits", { p_now: secondsAfter(noon, 5 * day) });
    expect(await jobs.read(id)).toMatchObject({ stage: "approval", status: "scheduled" });
    await db.value("resume_stage", { ...stage, p_now: secondsAfter(noon, 5 * day) });
    expect(await jobs.read(id)).toMatchObject({
      stage: "ship",
      status: "pending",
      outputs: { approval: { approved: true } },
    });
    expect(await violations()).toEqual([]);
  });

  test("takes no signal that was kept before the job came", async () => {
    const claimed = await jobs.aClaimedJob({ by: worker, stage: "orders/quote" });
    await signal(claimed.id);
    const stage = { p_pipeline: "orders", p_stage: "approval" };
    await db.value("pause_stage", { ...stage, p_now: noon });
    await done(claimed, null, noon);
    expect(await jobs.read(claimed.id)).toMatchObject({ stage: "approval" });
    await db.value("resume_stage", { ...stage, p_now: later });
    expect(await jobs.read(claimed.id)).toMatchObject({ stage: "ship", status: "pending" });
  });
});

describe("a retry by a person", () => {
  /** A job that was signalled and then failed. */
  async function failedInShip(): Promise<string> {
    const id = await waiting();
    await signal(id);
    const [ship] = await jobs.claimAs(worker, { stage: "orders/ship", at: later });
    await db.value("fail_job", {
      p_id: id,
      p_claim_token: ship?.claim_token,
      p_error: { message: "broken" },
      p_retry: false,
      p_now: later,
    });
    return id;
  }
  const retry = (id: string, stage?: string) =>
    db.call("retry_job", { p_id: id, p_from_stage: stage, p_now: later });

  test("after the wait keeps what was signalled", async () => {
    const id = await failedInShip();
    await retry(id);
    expect(await jobs.read(id)).toMatchObject({ stage: "ship", outputs: { approval: { approved: true } } });
    expect(await signal(id)).toBe("already_signalled");
  });

  test("from the wait waits again, for a new signal and with a new timeout", async () => {
    const id = await failedInShip();
    await retry(id, "approval");
    expect(await jobs.read(id)).toMatchObject({
      stage: "approval",
      status: "scheduled",
      scheduled_for: secondsAfter(later, 3 * day),
      outputs: { quote: { price: 5 } },
    });
    expect(await violations()).toEqual([]);
    expect(await signal(id, { approved: false })).toBe("signalled");
    expect((await jobs.read(id)).outputs).toMatchObject({ approval: { approved: false } });
  });

  test("from before the wait takes a new signal too, which may come early", async () => {
    const id = await failedInShip();
    await retry(id, "quote");
    expect(await signal(id, { approved: false })).toBe("kept");
    const [quote] = await jobs.claimAs(worker, { stage: "orders/quote", at: later });
    await done(quote, null, later);
    expect(await jobs.read(id)).toMatchObject({ stage: "ship", outputs: { approval: { approved: false } } });
  });

  test("keeps a signal that was never taken", async () => {
    const claimed = await jobs.aClaimedJob({ by: worker, stage: "orders/quote" });
    await signal(claimed.id);
    await db.value("fail_job", {
      p_id: claimed.id,
      p_claim_token: claimed.claim_token,
      p_error: { message: "broken" },
      p_retry: false,
      p_now: later,
    });
    await retry(claimed.id);
    const [quote] = await jobs.claimAs(worker, { stage: "orders/quote", at: later });
    await done(quote, null, later);
    expect(await jobs.read(claimed.id)).toMatchObject({ stage: "ship", status: "pending" });
  });
});

describe("a redefinition", () => {
  test("that drops a wait leaves the jobs that wait there as they are", async () => {
    const id = await waiting();
    const early = await jobs.aClaimedJob({ by: worker, stage: "orders/quote" });
    await jobs.aPipeline("orders", ["quote", "ship"]);
    expect(await signal(early.id)).toBe("no_such_wait");
    expect(await signal(id)).toBe("signalled");
    expect(await jobs.read(id)).toMatchObject({ stage: "ship", status: "pending" });
    await done(early);
    expect(await jobs.read(early.id)).toMatchObject({ stage: "ship", status: "pending" });
    expect(await violations()).toEqual([]);
  });

  test("that puts a wait in lets jobs wait from then on", async () => {
    const claimed = await jobs.aClaimedJob({ by: worker, stage: "orders/quote" });
    const again = { ...approval, name: "again" };
    await jobs.aPipeline("orders", ["quote", again, approval, "ship"]);
    await done(claimed);
    expect(await jobs.read(claimed.id)).toMatchObject({ stage: "again", status: "scheduled" });
  });

  test("cannot make a wait of a stage that workers run, nor the other way round", async () => {
    await expect(jobs.aPipeline("orders", ["quote", "approval", "ship"])).rejects.toMatchObject({
      code: "LS003",
      message:
        'Stage "approval" of pipeline "orders" cannot become a stage that workers run: it is one that waits.',
    });
    await expect(
      jobs.aPipeline("orders", ["quote", approval, { name: "ship", kind: "sleep", waitMs: 5 }]),
    ).rejects.toMatchObject({
      code: "LS003",
      message:
        'Stage "ship" of pipeline "orders" cannot become a stage that waits: it is one that workers run.',
    });
    await expect(
      jobs.aPipeline("orders", ["quote", { name: "approval", kind: "sleep", waitMs: 5 }, "ship"]),
    ).rejects.toMatchObject({ code: "LS003" });
  });
});
