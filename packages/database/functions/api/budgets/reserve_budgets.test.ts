import { type ClaimedJob, JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
const tokens = { name: "tokens", per: "owner", limit: 100, everyMs: 3_600_000 };
const nextHour = secondsAfter(noon, 3_600);
let worker: string;

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", [{ name: "read", spends: { tokens: null } }], { budgets: [tokens] });
  worker = await jobs.aWorker({ leaseSeconds: 36_000 });
});

async function claimed(count: number): Promise<ClaimedJob[]> {
  for (let number = 0; number < count; number += 1) await jobs.aPendingJob({ owner: "ada" });
  return await jobs.claimAs(worker, { batchSize: count });
}

async function reserve(held: readonly ClaimedJob[], amount: unknown, at: Date = noon): Promise<unknown[]> {
  const given = held.map(({ id, claim_token }) => ({ id, token: claim_token, amounts: { tokens: amount } }));
  const rows = await db.call("reserve_budgets", { p_jobs: given, p_now: at });
  return rows.toSorted((a, b) => Number(a.number) - Number(b.number)).map(({ answer }) => answer);
}

test("reserves what was estimated, and puts jobs back for which there is no room", async () => {
  const held = await claimed(3);
  expect(held).toHaveLength(3);
  const answers = await reserve(held, 40);
  expect(answers.filter((answer) => answer === "reserved")).toHaveLength(2);
  const back = held[answers.indexOf("waits")];
  expect(await jobs.read(back?.id ?? "")).toMatchObject({ status: "scheduled", attempt: 0 });
  expect(await db.call("verify", { p_now: noon })).toEqual([]);
});

test("a job that was put back comes again with what it needs reserved", async () => {
  const held = await claimed(3);
  const answers = await reserve(held, 40);
  const back = held[answers.indexOf("waits")];
  for (const { id, claim_token } of held.filter((one) => one !== back)) {
    await db.value("complete_job", { p_id: id, p_claim_token: claim_token, p_now: noon });
  }
  const [again] = await jobs.claimAs(worker);
  expect(again).toMatchObject({ id: back?.id, attempt: 1 });
  expect(await db.query("select amount from lockstep.budget_reservations")).toEqual([{ amount: "40" }]);
  expect(await reserve(again ? [again] : [], 40)).toEqual(["reserved"]);
  expect(await db.query("select amount from lockstep.budget_reservations")).toEqual([{ amount: "40" }]);
});

test("a claim takes a job with an unknown estimate only if the budget is not used up", async () => {
  const [first] = await claimed(1);
  expect(await reserve(first ? [first] : [], 100)).toEqual(["reserved"]);
  expect(await claimed(1)).toEqual([]);
  expect(await jobs.claimAs(worker, { at: nextHour })).toHaveLength(1);
});

test("what is reserved in a new period counts there", async () => {
  const [first] = await claimed(1);
  await reserve(first ? [first] : [], 60, nextHour);
  const rows = await db.call("read_budget_usage", { p_name: "tokens", p_now: nextHour });
  expect(rows).toMatchObject([{ period_began: nextHour, reserved: "60" }, { reserved: "0" }]);
});

test("answers for claims that are gone, and for amounts that are none", async () => {
  const [first] = await claimed(1);
  if (first === undefined) throw new Error("Nothing was claimed.");
  expect(await reserve([{ ...first, claim_token: crypto.randomUUID() }], 10)).toEqual(["lease_lost"]);
  expect(await reserve([first], "many")).toEqual(["refused"]);
  expect(await reserve([first], -1)).toEqual(["refused"]);
});

test("a job that was cancelled is left to its worker", async () => {
  const held = await claimed(1);
  await db.value("cancel_job", { p_id: held[0]?.id, p_now: noon });
  expect(await reserve(held, 1_000)).toEqual(["reserved"]);
});
