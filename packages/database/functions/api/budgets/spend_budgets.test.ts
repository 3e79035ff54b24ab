import { type ClaimedJob, JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, describe, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
const tokens = { name: "tokens", per: "owner", limit: 100, everyMs: 3_600_000 };
const later = secondsAfter(noon, 60_000);
let worker: string;
let job: ClaimedJob;

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", [{ name: "read", spends: { tokens: 50 } }, "send"], { budgets: [tokens] });
  worker = await jobs.aWorker({ leaseSeconds: 36_000 });
  job = await jobs.aClaimedJob({ by: worker, owner: "ada" });
});

interface Spent {
  id?: string;
  token?: string;
  budget?: unknown;
  total?: unknown;
}

function spend(...spends: Spent[]) {
  const given = spends.map((one) => ({ id: job.id, token: job.claim_token, budget: "tokens", ...one }));
  return db.call("spend_budgets", { p_spends: given, p_now: noon });
}

async function spent(at: Date = noon): Promise<number> {
  const [row] = await db.call("read_budget_usage", { p_name: "tokens", p_scope: "ada", p_now: at });
  return Number(row?.spent);
}

const finish = (spends: unknown, key = "ask", held: { id: string; claim_token: string } = job) =>
  db.value("finish_effect", {
    p_id: held.id,
    p_claim_token: held.claim_token,
    p_key: key,
    p_value: "text",
    p_spends: spends,
    p_now: noon,
  });

const begin = (held: { id: string; claim_token: string } = job, key = "ask") =>
  db.call("begin_effect", { p_id: held.id, p_claim_token: held.claim_token, p_key: key, p_now: noon });

describe("spend_budgets", () => {
  test("counts what is new in the total, so that a call may be sent again", async () => {
    await spend({ total: 10 });
    await spend({ total: 15 });
    await spend({ total: 15 });
    await spend({ total: 12 });
    expect(await spent()).toBe(15);
  });

  test("counts in fractions without losing any", async () => {
    for (let number = 1; number <= 10; number += 1) await spend({ total: number / 10 });
    expect(await spent()).toBe(1);
  });

  test("answers for each job of the call", async () => {
    const answers = await spend(
      { total: 10 },
      { total: 10, token: crypto.randomUUID() },
      { total: 10, budget: "money" },
      { total: -1 },
      { total: "many" },
    );
    expect(answers.map(({ number, answer }) => [number, answer])).toEqual(
      expect.arrayContaining([
        [1, "applied"],
        [2, "lease_lost"],
        [3, "refused"],
        [4, "refused"],
        [5, "refused"],
      ]),
    );
    expect(await spent()).toBe(10);
  });

  test("counts nothing for a claim that was lost", async () => {
    await db.call("sweep_lost_workers", { p_now: later });
    expect(await spend({ total: 10 })).toMatchObject([{ answer: "lease_lost" }]);
  });

  test("does not wait for a job that another transaction has locked", async () => {
    const other = await db.connect();
    await other.query("begin");
    await other.query("select from lockstep.jobs where id = $1 for update", [job.id]);
    expect(await spend({ total: 10 })).toMatchObject([{ answer: "busy" }]);
    await other.query("rollback");
    expect(await spend({ total: 10 })).toMatchObject([{ answer: "applied" }]);
  });

  test("counts in a stage that does not say that it spends", async () => {
    await db.value("complete_job", { p_id: job.id, p_claim_token: job.claim_token, p_now: noon });
    const [next] = await jobs.claimAs(worker, { stage: "orders/send" });
    await spend({ total: 10, token: next?.claim_token ?? "" });
    expect(await spent()).toBe(10);
    await db.value("complete_job", { p_id: next?.id, p_claim_token: next?.claim_token, p_now: noon });
    expect(await spent()).toBe(10);
    expect(await db.query("select from lockstep.budget_reservations")).toEqual([]);
    expect(await db.call("verify", { p_now: noon })).toEqual([]);
  });
});

describe("an effect", () => {
  test("counts what it has spent once, however often its end is sent", async () => {
    await begin();
    expect(await finish({ tokens: 20 })).toBe("applied");
    expect(await finish({ tokens: 20 })).toBe("already_applied");
    expect(await spent()).toBe(20);
    await spend({ total: 5 });
    expect(await spent()).toBe(25);
  });

  test("that is kept is not paid again by the next attempt", async () => {
    await begin();
    await finish({ tokens: 20 });
    await db.value("release_job", { p_id: job.id, p_claim_token: job.claim_token, p_now: noon });
    const [again] = await jobs.claimAs(worker);
    expect(await begin(again)).toMatchObject([{ answer: "done", value: "text" }]);
    expect(await spent()).toBe(20);
    expect(await db.call("job_effects", { p_id: job.id })).toMatchObject([{ spent: { tokens: 20 } }]);
  });

  test("that has happened counts although its claim was lost since", async () => {
    await begin();
    await db.call("sweep_lost_workers", { p_now: later });
    expect(await finish({ tokens: 20 })).toBe("lease_lost");
    expect(await finish({ tokens: 20 })).toBe("lease_lost");
    await db.call("sweep_lost_workers", { p_now: secondsAfter(later, 1) });
    expect(await spent()).toBe(20);
  });

  test("cannot spend what its pipeline does not list, and is not recorded then", async () => {
    await begin();
    await expect(finish({ money: 20 })).rejects.toMatchObject({ code: "LS001" });
    await expect(finish({ tokens: -20 })).rejects.toMatchObject({ code: "LS001" });
    expect(await db.call("job_effects", { p_id: job.id })).toMatchObject([{ state: "running" }]);
  });
});
