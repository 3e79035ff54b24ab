import { randomUUID } from "node:crypto";
import { type ClaimedJob, JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, describe, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
let worker: string;
let job: ClaimedJob;

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read", "send"]);
  worker = await jobs.aWorker();
  job = await jobs.aClaimedJob({ by: worker });
});

interface Begun {
  answer: string;
  idempotency_key: string | null;
  may_have_happened: boolean | null;
  value: unknown;
  has_value: boolean | null;
}

async function begin(claim: ClaimedJob, key = "mail", more: Record<string, unknown> = {}): Promise<Begun> {
  const [begun] = await db.call<Begun>("begin_effect", {
    p_id: claim.id,
    p_claim_token: claim.claim_token,
    p_key: key,
    ...more,
  });
  if (begun === undefined) throw new Error("begin_effect gave no row.");
  return begun;
}

const named = (claim: ClaimedJob) => ({ p_id: claim.id, p_claim_token: claim.claim_token, p_key: "mail" });
const finish = (claim: ClaimedJob, value?: unknown) =>
  db.value("finish_effect", { ...named(claim), p_value: value });
const fail = (claim: ClaimedJob, mayHaveHappened = false) =>
  db.value("fail_effect", { ...named(claim), p_may_have_happened: mayHaveHappened });
const effects = (id = job.id) => db.call("job_effects", { p_id: id });

/** The job's worker is lost, and another claims it. */
async function claimedAnew(): Promise<ClaimedJob> {
  await db.call("sweep_lost_workers", { p_now: secondsAfter(noon, 31) });
  const other = await jobs.aWorker({ at: secondsAfter(noon, 31) });
  const [claimed] = await jobs.claimAs(other, { at: secondsAfter(noon, 31) });
  if (claimed === undefined) throw new Error("The job was not claimed anew.");
  return claimed;
}

describe("the idempotency key of an effect", () => {
  const keyOf = async (claim: ClaimedJob, key = "mail") => (await begin(claim, key)).idempotency_key;
  /** As a standby that takes over without the last transactions has it. */
  const loseLedger = () => db.query("truncate lockstep.effects");

  test("is the same when the server has lost all that it knew of it, whoever runs it then", async () => {
    const before = await keyOf(job);
    const sms = await keyOf(job, "sms");
    await loseLedger();
    const again = await claimedAnew();
    expect([await keyOf(again), await keyOf(again, "sms")]).toEqual([before, sms]);
    expect(before).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  test("is another one for another job, and for one that comes later under the same id", async () => {
    const before = await keyOf(job);
    const other = await jobs.aClaimedJob({ by: worker });
    expect(await keyOf(other)).not.toBe(before);
    await db.query("update lockstep.jobs set added_at = added_at + interval '8 days' where id = $1", [
      job.id,
    ]);
    const later = await keyOf(job);
    expect(later).not.toBe(before);
    await loseLedger();
    expect(await keyOf(job)).toBe(later);
  });

  test("is a new one each time the effect was forgotten, and then the same over every loss but that of its forgetting", async () => {
    const keys = new Set([await keyOf(job)]);
    for (let times = 0; times < 3; times += 1) {
      await fail(job);
      await db.value("forget_effects", { p_id: job.id });
      const forgotten = await db.query<{ row: object }>("select to_jsonb(e) as row from lockstep.effects e");
      const key = await keyOf(job);
      keys.add(key);
      await loseLedger();
      await db.query(
        "insert into lockstep.effects select * from jsonb_populate_record(null::lockstep.effects, $1)",
        [forgotten[0]?.row],
      );
      expect(await begin(job)).toMatchObject({
        answer: "run",
        idempotency_key: key,
        may_have_happened: false,
      });
    }
    expect(keys.size).toBe(4);
  });
});

describe("an effect that is begun for the first time", () => {
  test("is to be run, under an idempotency key of its own", async () => {
    const mail = await begin(job);
    const sms = await begin(job, "sms");
    expect(mail).toMatchObject({ answer: "run", may_have_happened: false, value: null });
    expect(sms.idempotency_key).not.toBe(mail.idempotency_key);
    expect(await effects()).toMatchObject([
      { key: "mail", state: "running", idempotency_key: mail.idempotency_key, starts: 1, ended_at: null },
      { key: "sms", state: "running" },
    ]);
  });

  test("is not begun a second time while it runs under the same claim", async () => {
    await begin(job);
    await expect(begin(job)).rejects.toMatchObject({
      code: "LS003",
      message: `Effect "mail" of job ${job.id} is already running under this claim.`,
    });
  });

  test("is begun once when the call is sent again because its reply was lost", async () => {
    const { idempotency_key } = await begin(job);
    expect(await begin(job, "mail", { p_resent: true })).toMatchObject({
      answer: "run",
      idempotency_key,
      may_have_happened: false,
    });
    expect(await effects()).toMatchObject([{ starts: 1 }]);
  });

  test.each([
    ["", 0],
    ["é".repeat(128), 256],
    [null, 0],
  ])("needs a key of 1 to 255 bytes, so %j is refused", async (key, bytes) => {
    await expect(db.call("begin_effect", { ...named(job), p_key: key })).rejects.toMatchObject({
      code: "LS001",
      message: expect.stringContaining(`a key of ${bytes} bytes`),
    });
  });

  test("is durable, though the session does not wait for its commits", async () => {
    const client = await db.connect();
    const settingAfter = async (call: string) => {
      await client.query("begin");
      await client.query("set local synchronous_commit = off");
      await client.query(call, [job.id, job.claim_token]);
      const { rows } = await client.query("select current_setting('synchronous_commit') as setting");
      await client.query("commit");
      return rows[0]?.setting;
    };
    expect(await settingAfter("select lockstep.begin_effect($1, $2, 'mail')")).toBe("on");
    expect(await settingAfter("select lockstep.finish_effect($1, $2, 'mail')")).toBe("on");
  });
});

describe("an effect that is done", () => {
  test.each([
    ["a value", "'{\"id\": 7}'", { value: { id: 7 }, has_value: true }],
    ["JSON's null", "'null'", { value: null, has_value: true }],
    ["nothing", "null", { value: null, has_value: false }],
  ])("is not run again and gives back %s", async (_what, value, expected) => {
    await begin(job);
    await db.query(`select lockstep.finish_effect($1, $2, 'mail', ${value})`, [job.id, job.claim_token]);
    expect(await begin(job)).toMatchObject({ answer: "done", ...expected });
  });

  test("is known to a later attempt, a later stage, and a retry by a person", async () => {
    await begin(job);
    await finish(job, 1);
    await db.value("complete_job", { p_id: job.id, p_claim_token: job.claim_token, p_now: noon });
    const [sending] = await jobs.claimAs(worker, { stage: "orders/send" });
    expect(sending && (await begin(sending))).toMatchObject({ answer: "done", value: 1 });
    await db.value("fail_job", {
      p_id: job.id,
      p_claim_token: sending?.claim_token,
      p_error: { message: "broken" },
      p_retry: false,
      p_now: noon,
    });
    expect(await effects()).toMatchObject([{ key: "mail", state: "done", value: 1 }]);
    await db.call("retry_job", { p_id: job.id, p_from_stage: "read", p_now: noon });
    const [again] = await jobs.claimAs(worker);
    expect(again && (await begin(again))).toMatchObject({ answer: "done", value: 1 });
  });

  test("is recorded once, however often that is sent", async () => {
    await begin(job);
    expect(await finish(job, "first")).toBe("applied");
    expect(await finish(job, "second")).toBe("already_applied");
    expect(await effects()).toMatchObject([{ value: "first" }]);
  });

  test("has a value of at most 1 MiB", async () => {
    await begin(job);
    await expect(finish(job, "x".repeat(1_048_576))).rejects.toMatchObject({ code: "LS001" });
  });
});

describe("an effect that ended without having happened", () => {
  test("is run again, with the same idempotency key", async () => {
    const { idempotency_key } = await begin(job);
    expect(await fail(job)).toBe("applied");
    expect(await fail(job)).toBe("already_applied");
    expect(await effects()).toMatchObject([{ state: "stopped" }]);
    expect(await begin(job, "mail", { p_retry_unknown: false })).toMatchObject({
      answer: "run",
      idempotency_key,
      may_have_happened: false,
    });
    expect(await effects()).toMatchObject([{ state: "running", starts: 2 }]);
  });

  test("cannot be told of one that was not begun", async () => {
    const refusal = {
      code: "LS003",
      message: `Effect "mail" of job ${job.id} is not running under this claim.`,
    };
    await expect(fail(job)).rejects.toMatchObject(refusal);
    await expect(finish(job)).rejects.toMatchObject(refusal);
  });
});

describe("an effect whose start never said how it ended", () => {
  test("is run again with the same idempotency key, if the caller asks for that", async () => {
    const { idempotency_key } = await begin(job);
    const again = await claimedAnew();
    expect(await effects()).toMatchObject([{ state: "unknown" }]);
    expect(await begin(again)).toMatchObject({ answer: "run", idempotency_key, may_have_happened: true });
  });

  test("is told as unknown, and left alone, if not", async () => {
    const { idempotency_key } = await begin(job);
    const again = await claimedAnew();
    for (const _ of [1, 2]) {
      expect(await begin(again, "mail", { p_retry_unknown: false })).toMatchObject({
        answer: "unknown",
        idempotency_key,
        may_have_happened: true,
      });
    }
    expect(await effects()).toMatchObject([{ state: "unknown", starts: 1 }]);
  });

  test("is unknown also within the attempt that does not know", async () => {
    await begin(job);
    expect(await fail(job, true)).toBe("applied");
    expect(await begin(job, "mail", { p_retry_unknown: false })).toMatchObject({ answer: "unknown" });
    expect(await begin(job)).toMatchObject({ answer: "run", may_have_happened: true });
  });

  test("stays in doubt when a later start ended without it", async () => {
    const { idempotency_key } = await begin(job);
    const again = await claimedAnew();
    await begin(again);
    await fail(again);
    expect(await effects()).toMatchObject([{ state: "unknown", idempotency_key }]);
    expect(await begin(again, "mail", { p_retry_unknown: false })).toMatchObject({ answer: "unknown" });
  });

  test("is done when a later start did it", async () => {
    await begin(job);
    const again = await claimedAnew();
    await begin(again);
    await finish(again, "sent");
    expect(await begin(again)).toMatchObject({ answer: "done", value: "sent" });
  });
});

describe("a worker that lost its claim", () => {
  test("begins nothing", async () => {
    const again = await claimedAnew();
    expect(await begin(job)).toMatchObject({ answer: "lease_lost", idempotency_key: null });
    expect(await begin({ ...again, claim_token: randomUUID() })).toMatchObject({ answer: "lease_lost" });
    expect(await effects()).toEqual([]);
  });

  test("has its finished effect recorded, so that the new holder does not repeat it", async () => {
    await begin(job);
    const again = await claimedAnew();
    expect(await finish(job, "sent")).toBe("lease_lost");
    expect(await begin(again)).toMatchObject({ answer: "done", value: "sent" });
  });

  test("has it recorded also after the new holder was told that it is unknown", async () => {
    await begin(job);
    const again = await claimedAnew();
    await begin(again, "mail", { p_retry_unknown: false });
    expect(await finish(job, "sent")).toBe("lease_lost");
    expect(await begin(again, "mail", { p_retry_unknown: false })).toMatchObject({ answer: "done" });
  });

  test("has it recorded also when the job has ended meanwhile", async () => {
    await begin(job);
    const again = await claimedAnew();
    await db.value("complete_job", { p_id: job.id, p_claim_token: again.claim_token });
    await db.value("cancel_job", { p_id: job.id });
    expect(await finish(job, "sent")).toBe("lease_lost");
    expect(await effects()).toMatchObject([{ state: "done", value: "sent" }]);
  });

  test("changes nothing of what the new holder has begun itself", async () => {
    await begin(job);
    const again = await claimedAnew();
    await begin(again);
    expect(await finish(job, "late")).toBe("lease_lost");
    expect(await fail(job)).toBe("lease_lost");
    expect(await effects()).toMatchObject([{ state: "running" }]);
    expect(await finish(again, "mine")).toBe("applied");
    expect(await effects()).toMatchObject([{ state: "done", value: "mine" }]);
  });

  test("is believed that its effect did not happen, while nobody else has begun it", async () => {
    await begin(job);
    const again = await claimedAnew();
    expect(await fail(job)).toBe("lease_lost");
    expect(await begin(again, "mail", { p_retry_unknown: false })).toMatchObject({
      answer: "run",
      may_have_happened: false,
    });
  });

  test("cannot be swept while it is being told to run", async () => {
    const client = await db.connect();
    await client.query("begin");
    await client.query("select lockstep.begin_effect($1, $2, 'mail')", [job.id, job.claim_token]);
    const sweep = () =>
      db.call<{ lost_jobs: number }>("sweep_lost_workers", { p_now: secondsAfter(noon, 31) });
    expect(await sweep()).toMatchObject([{ lost_jobs: 0 }]);
    await client.query("commit");
    expect(await sweep()).toMatchObject([{ lost_jobs: 1 }]);
    expect(await db.call("verify", { p_now: secondsAfter(noon, 31) })).toEqual([]);
  });
});

test("a job added under the id of one that is gone begins without its effects", async () => {
  const { idempotency_key } = await begin(job);
  await finish(job, "sent");
  await db.query("delete from lockstep.jobs");
  const anew = await jobs.aClaimedJob({ by: worker, id: job.id, at: secondsAfter(noon, 1) });
  expect(await effects()).toEqual([]);
  const begun = await begin(anew);
  expect(begun).toMatchObject({ answer: "run", may_have_happened: false });
  expect(begun.idempotency_key).not.toBe(idempotency_key);
  expect(await effects()).toMatchObject([{ state: "running", starts: 1, value: null }]);
});

test("verify names an effect that was begun under a claim the job never had", async () => {
  await begin(job);
  expect(await db.call("verify", { p_now: noon })).toEqual([]);
  await db.query("update lockstep.effects set claim_token = gen_random_uuid()");
  expect(await db.call("verify", { p_now: noon })).toMatchObject([{ invariant: "V15", job_id: job.id }]);
});
