import { JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, describe, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
const hour = 3_600_000;
const budgets = [
  { name: "tokens", per: "owner", limit: 100, everyMs: hour },
  { name: "unused", per: "total", limit: 5 },
];
let worker: string;

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", [{ name: "read", spends: { tokens: 40 } }], { budgets });
  worker = await jobs.aWorker({ leaseSeconds: 360_000 });
});

const totals = (p_now = noon, p_scopes = 10) => db.call("read_budget_totals", { p_now, p_scopes });

describe("read_budget_totals", () => {
  test("adds up what runs, what has ended and what was folded, and names the fullest scopes first", async () => {
    for (const owner of ["ada", "ada", "ada", "bob"]) await jobs.aPendingJob({ owner });
    const [first] = await jobs.claimAs(worker, { batchSize: 10 });
    const claim = { id: first?.id, token: first?.claim_token };
    const p_spends = [{ ...claim, budget: "tokens", total: 30 }];
    await db.call("spend_budgets", { p_spends, p_now: noon });
    const held = { name: "tokens", spent: "30", reserved: "90", scopes: 2 };
    const ada = { scope: "ada", limit: 100, spent: 30, reserved: 50, waiting: 1 };
    const bob = { scope: "bob", limit: 100, spent: 0, reserved: 40, waiting: 0 };
    expect(await totals()).toEqual([
      { ...held, fullest: [ada, bob] },
      { name: "unused", spent: "0", reserved: "0", scopes: 0, fullest: [] },
    ]);
    await db.value("complete_job", { p_id: first?.id, p_claim_token: first?.claim_token, p_now: noon });
    const ended = { ...held, reserved: "80", fullest: [{ ...ada, reserved: 40 }, bob] };
    expect((await totals())[0]).toEqual(ended);
    // The claim folds the entry; its job finds no room.
    await jobs.claimAs(worker);
    expect(await db.query("select from lockstep.budget_entries")).toEqual([]);
    expect((await totals())[0]).toEqual(ended);
  });

  test("compares each scope with its own limit, and a limit of 0 is always reached", async () => {
    for (const owner of ["ada", "bob", "eve"]) await jobs.aPendingJob({ owner });
    const limit = (p_scope: string, p_limit: number) =>
      db.value("set_budget_limit", { p_name: "tokens", p_scope, p_limit, p_by: "grace", p_now: noon });
    await limit("bob", 50);
    await limit("eve", 0);
    await jobs.claimAs(worker, { batchSize: 10 });
    const scopes = ([tokens]: { fullest?: unknown }[]) =>
      ((tokens?.fullest ?? []) as { scope: string }[]).map(({ scope }) => scope);
    expect(scopes(await totals())).toEqual(["eve", "bob", "ada"]);
    expect(scopes(await totals(noon, 1))).toEqual(["eve"]);
  });

  test("has only the current period", async () => {
    await jobs.aPendingJob({ owner: "ada" });
    await jobs.claimAs(worker);
    expect((await totals(secondsAfter(noon, 3_600)))[0]).toMatchObject({
      spent: "0",
      reserved: "0",
      scopes: 0,
    });
  });

  test("refuses more scopes than it shows", async () => {
    await expect(totals(noon, 101)).rejects.toMatchObject({ code: "LS001" });
    await expect(totals(noon, -1)).rejects.toMatchObject({ code: "LS001" });
  });
});
