import { type ClaimedJob, JobFactory, testDatabase, untilBlocked } from "@lockstep/test-support";
import { beforeEach, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
let worker: string;
let job: ClaimedJob;

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read"]);
  worker = await jobs.aWorker();
  job = await jobs.aClaimedJob({ by: worker });
});

async function begin(claim: ClaimedJob, key = "mail") {
  const named = { p_id: claim.id, p_claim_token: claim.claim_token, p_key: key };
  const [begun] = await db.call<{ answer: string; idempotency_key: string }>("begin_effect", named);
  return begun;
}

async function aDoneEffect(key = "mail") {
  const begun = await begin(job, key);
  await db.value("finish_effect", { p_id: job.id, p_claim_token: job.claim_token, p_key: key });
  return begun;
}

const forget = (key?: string) => db.value<number>("forget_effects", { p_id: job.id, p_key: key });
const running = () => ({ code: "LS003", message: `Effect "mail" of job ${job.id} is running.` });

test("an effect that was forgotten runs anew, under a new idempotency key", async () => {
  const first = await aDoneEffect();
  await aDoneEffect("sms");
  expect(await forget("mail")).toBe(1);
  expect(await db.call("job_effects", { p_id: job.id })).toMatchObject([{ key: "sms", state: "done" }]);
  const second = await begin(job);
  expect(second?.answer).toBe("run");
  expect(second?.idempotency_key).not.toBe(first?.idempotency_key);
});

test("without a key all effects of the job are forgotten", async () => {
  await aDoneEffect();
  await aDoneEffect("sms");
  expect(await forget()).toBe(2);
  expect(await forget()).toBe(0);
});

test("one that is in doubt is done when a person says that it happened", async () => {
  await begin(job);
  await db.value("release_job", { p_id: job.id, p_claim_token: job.claim_token });
  expect(await db.value("confirm_effect", { p_id: job.id, p_key: "mail", p_value: { id: 7 } })).toBe(true);
  const [again] = await jobs.claimAs(worker);
  expect(again && (await begin(again))).toMatchObject({ answer: "done", value: { id: 7 } });
  expect(await db.value("confirm_effect", { p_id: job.id, p_key: "sms" })).toBe(false);
});

test("one that runs is neither forgotten nor confirmed", async () => {
  await begin(job);
  await expect(forget()).rejects.toMatchObject(running());
  await expect(db.call("confirm_effect", { p_id: job.id, p_key: "mail" })).rejects.toMatchObject(running());
});

test("a start that is about to be recorded is waited for", async () => {
  const [starting, person] = [await db.connect(), await db.connect()];
  await starting.query("begin");
  await starting.query("select lockstep.begin_effect($1, $2, 'mail')", [job.id, job.claim_token]);
  const forgetting = person.query("select lockstep.forget_effects($1)", [job.id]);
  forgetting.catch(() => {});
  await untilBlocked(db);
  await starting.query("commit");
  await expect(forgetting).rejects.toMatchObject(running());
});
