import { JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, describe, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
const hour = 3_600_000;
const budgets = [{ name: "tokens", per: "owner", limit: 100, everyMs: hour, unit: "tokens" }];
const at = (hours: number) => secondsAfter(noon, hours * 3_600);
let worker: string;

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", [{ name: "read", spends: { tokens: 40 } }], { budgets });
  worker = await jobs.aWorker({ leaseSeconds: 360_000 });
});

const set = (more: Record<string, unknown>) =>
  db.value("set_budget_limit", { p_name: "tokens", p_limit: 50, p_by: "grace", p_now: noon, ...more });

const limits = async () => {
  const [budget] = await db.call("read_budgets", { p_now: noon });
  return [Number(budget?.limit_now), Number(budget?.defined_limit), budget?.scopes_with_limits];
};

describe("set_budget_limit", () => {
  test("holds until it is taken back, whatever is defined", async () => {
    expect(await set({})).toBe(true);
    await jobs.aPipeline("orders", ["read"], { budgets: [{ ...budgets[0], limit: 200 }] });
    expect(await limits()).toEqual([50, 200, 0]);
    expect(await set({ p_limit: null })).toBe(true);
    expect(await limits()).toEqual([200, 200, 0]);
  });

  test("is recorded with who did it and why", async () => {
    await set({ p_scope: "ada", p_reason: "she has paid" });
    await set({ p_scope: "ada" });
    await set({ p_scope: "ada", p_limit: null, p_by: "bob" });
    expect(await db.call("list_actions", {})).toMatchObject([
      { user_name: "bob", outcome: "taken_back", detail: { before: 50 } },
      { user_name: "grace", outcome: "unchanged" },
      {
        user_name: "grace",
        action: "budgets.set_limit",
        target: "budgets/tokens/ada",
        outcome: "set",
        detail: { limit: 50, reason: "she has paid" },
      },
    ]);
  });

  test("of one owner holds for no other", async () => {
    await set({ p_scope: "ada", p_limit: 10 });
    await jobs.aPendingJob({ owner: "ada" });
    const bobs = await jobs.aPendingJob({ owner: "bob" });
    expect((await jobs.claimAs(worker, { batchSize: 5 })).map(({ id }) => id)).toEqual([bobs]);
  });

  test("refuses what cannot be a limit, an unknown budget, and nobody", async () => {
    await expect(set({ p_limit: -1 })).rejects.toMatchObject({ code: "LS001" });
    await expect(set({ p_limit: "NaN" })).rejects.toMatchObject({ code: "LS001" });
    await expect(set({ p_by: null })).rejects.toMatchObject({ code: "LS001" });
    await expect(set({ p_name: "tokns" })).rejects.toMatchObject({ code: "LS003" });
    expect(await limits()).toEqual([100, 100, 0]);
    expect(await db.call("list_actions", {})).toEqual([]);
  });
});

describe("read_budget_usage", () => {
  async function spentBy(owner: string, hours: number, total: number) {
    const job = await jobs.aClaimedJob({ by: worker, owner, at: at(hours) });
    const spends = [{ id: job.id, token: job.claim_token, budget: "tokens", total }];
    await db.call("spend_budgets", { p_spends: spends, p_now: at(hours) });
    await db.value("complete_job", { p_id: job.id, p_claim_token: job.claim_token, p_now: at(hours) });
  }

  const read = async (more: Record<string, unknown> = {}) => {
    const rows = await db.call("read_budget_usage", { p_name: "tokens", p_now: at(2), ...more });
    return rows.map(({ scope, period_began, spent }) => [scope, period_began, Number(spent)]);
  };

  test("has a row for each scope and period, the newest first, in pages", async () => {
    await spentBy("bob", 0, 3);
    await spentBy("ada", 0, 1);
    await spentBy("ada", 2, 2);
    const all = [
      ["ada", at(2), 2],
      ["ada", at(0), 1],
      ["bob", at(0), 3],
    ];
    expect(await read()).toEqual(all);
    expect(await read({ p_limit: 2 })).toEqual(all.slice(0, 2));
    expect(await read({ p_limit: 2, p_after_period: at(0), p_after_scope: "ada" })).toEqual(all.slice(2));
    expect(await read({ p_scope: "ada" })).toEqual(all.slice(0, 2));
    expect(await read({ p_scope: "ada", p_after_period: at(2) })).toEqual([all[1]]);
    expect(await read({ p_since: at(1) })).toEqual(all.slice(0, 1));
    await db.call("sweep_lost_workers", { p_now: at(2) });
    expect(await read()).toEqual(all);
  });

  test("tells the limit, what runs and what waits", async () => {
    await set({ p_scope: "ada", p_limit: 80 });
    for (let number = 0; number < 4; number += 1) await jobs.aPendingJob({ owner: "ada" });
    await jobs.claimAs(worker, { batchSize: 5 });
    expect(await db.call("read_budget_usage", { p_name: "tokens", p_now: noon })).toMatchObject([
      { limit_now: "80", is_own_limit: true, reserved: "80", running: 2, waiting: 2, turns_at: at(1) },
    ]);
    expect(await db.call("read_budgets", { p_now: noon })).toMatchObject([
      {
        name: "tokens",
        per: "owner",
        unit: "tokens",
        pipelines: ["orders"],
        waiting_jobs: 2,
        waiting_scopes: 1,
      },
    ]);
  });

  test("is deleted 90 days after the end of its period", async () => {
    await spentBy("ada", 0, 1);
    await db.call("sweep_lost_workers", { p_now: noon });
    const days = (count: number) => at(24 * count + 1);
    expect(await db.value("delete_budget_usage", { p_now: days(89.9) })).toBe(0);
    expect(await db.value("delete_budget_usage", { p_now: days(90.1) })).toBe(1);
    await jobs.aPipeline("orders", [{ name: "read", spends: { tokens: 1 } }], {
      budgets: [{ ...budgets[0], everyMs: null }],
    });
    await spentBy("ada", 0, 1);
    await db.call("sweep_lost_workers", { p_now: noon });
    expect(await db.value("delete_budget_usage", { p_now: days(3_000) })).toBe(0);
  });
});

describe("define_pipeline", () => {
  test.each([
    [{ budgets: [{ name: "a/b", limit: 1 }] }, {}, "is not a valid name"],
    [{ budgets: [{ name: "a", limit: -1 }] }, {}, "must be a number from 0"],
    [{ budgets: [{ name: "a" }] }, {}, "must be a number from 0"],
    [{ budgets: [{ name: "a", limit: 1, per: "user" }] }, {}, "must be owner, group, pipeline or total"],
    [{ budgets: [{ name: "a", limit: 1, everyMs: 0.5 }] }, {}, "everyMs"],
    [
      {
        budgets: [
          { name: "a", limit: 1 },
          { name: "a", limit: 1 },
        ],
      },
      {},
      "given twice",
    ],
    [{ budgets: [{ name: "a", limit: 1, unit: "" }] }, {}, "unit"],
    [{ budgets: {} }, {}, "must be an array"],
    [{}, { spends: { a: 1 } }, "does not list"],
    [{ budgets: [{ name: "a", limit: 1 }] }, { spends: { a: -1 } }, "an estimate must be a number"],
    [{ budgets: [{ name: "a", limit: 1 }] }, { spends: { a: "many" } }, "an estimate must be a number"],
    [{ budgets: [{ name: "a", limit: 1 }] }, { spends: [1] }, "must be an object"],
  ])("refuses %j with stages %j", async (options, stage, sentence) => {
    await expect(jobs.aPipeline("letters", [{ name: "read", ...stage }], options)).rejects.toMatchObject({
      code: "LS001",
      message: expect.stringContaining(sentence),
    });
    expect(await db.call("read_budgets")).toHaveLength(1);
  });
});

describe("explain_job", () => {
  const explain = async (id: string) =>
    (await db.call("explain_job", { p_id: id, p_now: noon })).find(({ reason }) => reason === "budget");

  test("says which budget has no room, who holds it and when it goes on", async () => {
    const ids: string[] = [];
    for (let number = 0; number < 4; number += 1) ids.push(await jobs.aPendingJob({ owner: "ada" }));
    const held = await jobs.claimAs(worker, { batchSize: 5 });
    const explained = await explain(ids[3] ?? "");
    expect(explained?.explanation).toBe(
      'Budget tokens of owner "ada" has no room for it: of 100 tokens, 0 are spent and 80 reserved by 2 jobs; it needs 40 tokens. ' +
        "It goes on when something is given back or the limit is raised (set_budget_limit), at the latest in the period that begins at " +
        "2026-01-01 13:00:00 UTC (3600 s from now). Jobs that wait before it: 1.".replace(
          "2026-01-01 13",
          told(at(1)),
        ),
    );
    expect(explained?.detail).toMatchObject({
      budget: "tokens",
      scope: "ada",
      limit: 100,
      spent: 0,
      reserved: 80,
      estimate: 40,
      reservedBy: held
        .map(({ id }) => ({ jobId: id, amount: 40 }))
        .toSorted((a, b) => (a.jobId < b.jobId ? -1 : 1)),
      ahead: 1,
    });
  });

  test("says that an estimate is more than the limit, and what to do", async () => {
    await set({ p_limit: 30 });
    const id = await jobs.aPendingJob({ owner: "ada" });
    await jobs.claimAs(worker);
    expect((await explain(id))?.explanation).toBe(
      'It would spend 40 tokens of budget tokens of owner "ada", which is more than the whole limit of 30 tokens, so it waits until that is raised (set_budget_limit).',
    );
  });
});

const told = (date: Date) => date.toISOString().slice(0, 13).replace("T", " ");
