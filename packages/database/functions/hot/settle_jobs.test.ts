import { randomUUID } from "node:crypto";
import {
  type ClaimedJob,
  type GivenEnd,
  JobFactory,
  noon,
  secondsAfter,
  settledBy,
  testDatabase,
  untilBlocked,
} from "@lockstep/test-support";
import { beforeEach, describe, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
let worker: string;

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read", "write"]);
  worker = await jobs.aWorker({ leaseSeconds: 600 });
});

interface Settled {
  job_id: string;
  answer: string;
  status: string | null;
}

const settle = (ends: GivenEnd[], more: object = {}) =>
  db.call<Settled>("settle_jobs", { ...settledBy(ends), p_now: noon, ...more });

const ended = ({ id, claim_token }: ClaimedJob, outcome: string, more: object = {}) => ({
  id,
  token: claim_token,
  outcome,
  ...more,
});

async function aBatch(size: number): Promise<ClaimedJob[]> {
  for (let job = 0; job < size; job++) await jobs.aPendingJob();
  return jobs.claimAs(worker, { batchSize: size });
}

const claim = (list: ClaimedJob[], index: number): ClaimedJob => {
  const found = list[index];
  if (!found) throw new Error(`There is no claim ${index}.`);
  return found;
};

describe("a batch", () => {
  test("settles each of its jobs its own way, and is silent about a plain done", async () => {
    const claims = await aBatch(5);
    const error = { message: "broken" };
    const settled = await settle([
      ended(claim(claims, 0), "done", { value: { pages: 1 } }),
      ended(claim(claims, 1), "retry", { value: error, delayMs: 5_000 }),
      ended(claim(claims, 2), "give_up", { value: error }),
      ended(claim(claims, 3), "snooze", { delayMs: 7_000 }),
      ended(claim(claims, 4), "release"),
    ]);
    expect(new Map(settled.map((row) => [row.job_id, [row.answer, row.status]]))).toEqual(
      new Map([
        [claims[1]?.id, ["applied", "retrying"]],
        [claims[2]?.id, ["applied", "failed"]],
        [claims[3]?.id, ["applied", "scheduled"]],
        [claims[4]?.id, ["applied", "pending"]],
      ]),
    );
    const stored: unknown[] = [];
    for (const { id } of claims) stored.push(await jobs.read(id));
    expect(stored).toMatchObject([
      { status: "pending", stage: "write", outputs: { read: { pages: 1 } }, attempt: 0 },
      { status: "retrying", scheduled_for: secondsAfter(noon, 5), error, attempt: 1 },
      { status: "failed", error, attempt: 1 },
      { status: "scheduled", scheduled_for: secondsAfter(noon, 7), attempt: 0 },
      { status: "pending", stage: "read", attempt: 0 },
    ]);
    expect(await db.call("verify", { p_now: noon })).toEqual([]);
  });

  test("of a hundred completions at the last stage moves all of them to the finished", async () => {
    await jobs.aPipeline("letters", ["send"]);
    await db.query(
      `select from lockstep.add_jobs(
         (select jsonb_agg(jsonb_build_object('pipeline', 'letters', 'payload', n)) from generate_series(1, 100) n))`,
    );
    const claims = await jobs.claimAs(worker, { stage: "letters/send", batchSize: 100 });
    expect(await settle(claims.map((one) => ended(one, "done", { value: one.payload })))).toEqual([]);
    expect(
      await db.query(
        `select count(*)::integer, bool_and(result = payload) as equal from lockstep.finished_jobs where status = 'completed'`,
      ),
    ).toEqual([{ count: 100, equal: true }]);
    expect(await db.call("verify", { p_now: noon })).toEqual([]);
  });

  test("with stale, unknown and foreign tokens settles the good ones all the same", async () => {
    const claims = await aBatch(4);
    await settle([ended(claim(claims, 0), "release")]);
    const settled = await settle([
      ended(claim(claims, 0), "done"),
      ended(claim(claims, 1), "done"),
      { id: claims[2]?.id, token: claims[3]?.claim_token, outcome: "done" },
      { id: randomUUID(), token: randomUUID(), outcome: "done" },
    ]);
    expect(settled.map(({ answer }) => answer).sort()).toEqual([
      "already_applied",
      "lease_lost",
      "lease_lost",
    ]);
    expect(await jobs.read(claim(claims, 1).id)).toMatchObject({ stage: "write" });
    expect(await jobs.read(claim(claims, 2).id)).toMatchObject({ stage: "read", status: "processing" });
    expect(await db.call("verify", { p_now: noon })).toEqual([]);
  });

  test("with an old and the present token of one job answers for the old one", async () => {
    const old = claim(await aBatch(1), 0);
    await db.call("sweep_lost_workers", { p_now: secondsAfter(noon, 601) });
    const other = await jobs.aWorker({ at: secondsAfter(noon, 601) });
    const present = claim(await jobs.claimAs(other, { at: secondsAfter(noon, 601) }), 0);
    expect(
      await settle([ended(old, "done", { value: "old" }), ended(present, "done", { value: "new" })]),
    ).toMatchObject([{ job_id: old.id, answer: "lease_lost" }]);
    expect(await jobs.read(old.id)).toMatchObject({ stage: "write", outputs: { read: "new" } });
  });

  test("of none settles nothing", async () => {
    expect(await settle([])).toEqual([]);
  });

  test("without ends is done without output, every job of it", async () => {
    const claims = await aBatch(2);
    expect(
      await settle(
        claims.map((one) => ended(one, "release")),
        { p_ends: null },
      ),
    ).toEqual([]);
    for (const { id } of claims) {
      expect(await jobs.read(id)).toMatchObject({
        stage: "write",
        status: "pending",
        outputs: { read: null },
      });
    }
  });

  test("with fewer tokens or ends than jobs is refused whole", async () => {
    const claims = await aBatch(2);
    const ends = claims.map((one) => ended(one, "done"));
    for (const short of [{ p_tokens: [claims[0]?.claim_token] }, { p_ends: [{}] }]) {
      await expect(settle(ends, short)).rejects.toMatchObject({ code: "LS001" });
    }
    expect(await jobs.read(claim(claims, 0).id)).toMatchObject({ stage: "read", status: "processing" });
  });

  test("keeps the log and the timeout of an attempt in its record", async () => {
    const claims = await aBatch(2);
    const log = [{ level: "info", message: "hm" }];
    await settle([
      ended(claim(claims, 0), "retry", { value: { message: "slow" }, timedOut: true, log }),
      ended(claim(claims, 1), "give_up", { value: { message: "slow" }, timedOut: true, log }),
    ]);
    for (const { id } of claims) {
      expect(await jobs.read(id)).toMatchObject({
        attempts: [{ outcome: "timeout", log, error: { message: "slow" } }],
      });
    }
  });
});

describe("a settlement sent again", () => {
  test.each([["done"], ["retry"], ["give_up"], ["snooze"], ["release"]])(
    "after %s is already_applied and changes nothing more",
    async (outcome) => {
      const one = claim(await aBatch(1), 0);
      await settle([ended(one, outcome, { value: { message: "x" } })]);
      const before = await db.query("select to_jsonb(j) from lockstep.jobs j");
      expect(await settle([ended(one, outcome, { value: { message: "y" } })])).toMatchObject([
        { job_id: one.id, answer: "already_applied" },
      ]);
      expect(await db.query("select to_jsonb(j) from lockstep.jobs j")).toEqual(before);
      expect(await db.call("verify", { p_now: noon })).toEqual([]);
    },
  );

  test("after a person retried the job is still already_applied, and after a loss lease_lost", async () => {
    const failed = await jobs.aFailedJob({ by: worker });
    const lost = await jobs.aClaimedJob({ by: worker });
    await db.call("sweep_lost_workers", { p_now: secondsAfter(noon, 601) });
    await db.value("cancel_job", { p_id: lost.id, p_now: noon });
    for (const { id } of [failed, lost]) await db.call("retry_job", { p_id: id, p_now: noon });
    const answers = await settle([ended(failed, "give_up"), ended(lost, "done")]);
    expect(new Map(answers.map((row) => [row.job_id, row.answer]))).toEqual(
      new Map([
        [failed.id, "already_applied"],
        [lost.id, "lease_lost"],
      ]),
    );
  });
});

describe("a settlement that waits for another change of its job", () => {
  test.each(["done", "release", "retry"])(
    "ends it cancelled when a cancel commits first: %s",
    async (outcome) => {
      const [one] = await aBatch(1);
      const [person, holder] = [await db.connect(), await db.connect()];
      await person.query("begin");
      await person.query("select lockstep.cancel_job($1)", [one?.id]);
      const settling = holder.query(
        "select * from lockstep.settle_jobs(array[$1::uuid], array[$2::uuid], $3::jsonb)",
        [one?.id, one?.claim_token, JSON.stringify([{ outcome, value: {} }])],
      );
      await untilBlocked(db);
      await person.query("commit");
      expect((await settling).rows).toMatchObject([{ answer: "applied", status: "cancelled" }]);
      expect(await jobs.read(String(one?.id))).toMatchObject({ status: "cancelled", stage: "read" });
      expect(await db.call("verify")).toEqual([]);
    },
  );

  test("advances it when its progress commits first", async () => {
    const [one] = await aBatch(1);
    const [reporter, holder] = [await db.connect(), await db.connect()];
    await reporter.query("begin");
    await reporter.query("select lockstep.report_progress($1, $2, 50)", [one?.id, one?.claim_token]);
    const settling = holder.query("select * from lockstep.settle_jobs(array[$1::uuid], array[$2::uuid])", [
      one?.id,
      one?.claim_token,
    ]);
    await untilBlocked(db);
    await reporter.query("commit");
    expect((await settling).rows).toEqual([]);
    expect(await jobs.read(String(one?.id))).toMatchObject({ status: "pending", stage: "write" });
  });
});
