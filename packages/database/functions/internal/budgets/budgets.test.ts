import { type ClaimedJob, JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, describe, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
const hour = 3_600_000;
const nextHour = secondsAfter(noon, 3_600);
const tokens = { name: "tokens", per: "owner", limit: 100, everyMs: hour, unit: "tokens" };
let worker: string;

beforeEach(async () => {
  await db.reset();
  worker = await jobs.aWorker({ leaseSeconds: 36_000 });
});

const aPipelineThatSpends = (spends: object, budgets: object[] = [tokens], name = "orders") =>
  jobs.aPipeline(name, [{ name: "read", spends }], { budgets });

async function add(count: number, options: Parameters<JobFactory["aPendingJob"]>[0] = {}): Promise<string[]> {
  const ids: string[] = [];
  for (let number = 0; number < count; number += 1)
    ids.push(await jobs.aPendingJob({ owner: "ada", ...options }));
  return ids;
}

const claim = (batchSize = 10, at: Date = noon, stage = "orders/read") =>
  jobs.claimAs(worker, { batchSize, at, stage });

async function spend(job: ClaimedJob | undefined, total: number, budget = "tokens", at: Date = noon) {
  const spends = [{ id: job?.id, token: job?.claim_token, budget, total }];
  const [answer] = await db.call("spend_budgets", { p_spends: spends, p_now: at });
  return answer?.answer;
}

const complete = (job: ClaimedJob | undefined, at: Date = noon) =>
  db.value("complete_job", { p_id: job?.id, p_claim_token: job?.claim_token, p_now: at });

async function usage(scope = "ada", name = "tokens", at: Date = noon) {
  const [row] = await db.call("read_budget_usage", { p_name: name, p_scope: scope, p_now: at });
  return row && { spent: Number(row.spent), reserved: Number(row.reserved), waiting: row.waiting };
}

/** In how many milliseconds a worker is told to look again. */
async function claimAndAskWhen(): Promise<number | null | undefined> {
  const rows = await db.call<{ kind: string; detail: { nextDueMs: number | null } }>("settle_and_claim", {
    p_worker_id: worker,
    p_claim_token: crypto.randomUUID(),
    p_ids: [],
    p_tokens: [],
    p_ends: null,
    p_stage_ids: (await db.query<{ id: number }>("select id from lockstep.stages")).map(({ id }) => id),
    p_rooms: [10],
    p_places: Array.from({ length: 20 }, () => 0),
    p_scans: [2],
    p_due_after: [null],
    p_now: noon,
  });
  return rows.find(({ kind }) => kind === "stage")?.detail.nextDueMs;
}

const idsOf = (claimed: readonly { id: string }[]) => claimed.map(({ id }) => id);

describe("a claim", () => {
  beforeEach(() => aPipelineThatSpends({ tokens: 30 }));

  test("takes as many jobs as the budget has room for, and the others wait", async () => {
    await add(5);
    expect(await claim()).toHaveLength(3);
    expect(await usage()).toEqual({ spent: 0, reserved: 90, waiting: 2 });
    expect(await db.call("verify", { p_now: noon })).toEqual([]);
  });

  test("tells of no time while no job waits, so that an idle worker sleeps", async () => {
    await add(2);
    await claim();
    expect(await claimAndAskWhen()).toBeNull();
  });

  test("does not look at jobs that wait", async () => {
    const ids = await add(5);
    await claim();
    const waiting = await jobs.read(ids[4] ?? "");
    expect(waiting).toMatchObject({ status: "scheduled", scheduled_for: null });
    expect(
      await db.query("select from lockstep.jobs where position is not null and status <> 'processing'"),
    ).toEqual([]);
  });

  test("takes the jobs of other owners, whoever has no budget", async () => {
    await add(60);
    const [ofBob] = await add(1, { owner: "bob" });
    const [withoutOwner] = await add(1, { owner: undefined });
    expect(idsOf(await claim(5))).toEqual(expect.arrayContaining([ofBob, withoutOwner]));
  });

  test("uses no rate and no turn for a job that waits", async () => {
    await jobs.aPipeline(
      "orders",
      [{ name: "read", spends: { tokens: 60 }, rate: { jobs: 2, perMs: hour } }],
      {
        budgets: [tokens],
      },
    );
    await add(3);
    const [ofBob] = await add(1, { owner: "bob" });
    expect(idsOf(await claim())).toContain(ofBob);
    expect(await claim()).toEqual([]);
  });

  test("leaves no more than a thousand jobs waiting, and the next one goes on", async () => {
    await db.query(
      `select count(*) from lockstep.add_jobs((
         select jsonb_agg(jsonb_build_object('pipeline', 'orders', 'owner', 'ada')) from generate_series(1, 1500)
       ), p_now => $1)`,
      [noon],
    );
    const [ofBob] = await add(1, { owner: "bob" });
    expect(await claim(4)).toHaveLength(3);
    expect(idsOf(await claim(4))).toEqual([ofBob]);
  });
});

describe("an attempt that ends", () => {
  beforeEach(() => aPipelineThatSpends({ tokens: 50 }));

  test("keeps what it has spent and gives back the rest", async () => {
    await add(3);
    const [first, second] = await claim();
    expect(await spend(first, 20)).toBe("applied");
    await complete(first);
    await complete(second);
    expect(await usage()).toMatchObject({ spent: 20, reserved: 0 });
    expect(await claim()).toHaveLength(1);
  });

  test.each([
    ["fail_job", { p_error: { message: "broken" } }],
    ["fail_job", { p_error: { message: "broken" }, p_retry: false }],
    ["release_job", {}],
    ["snooze_job", { p_for: "1 hour" }],
    ["finish_job", {}],
    ["skip_job", {}],
  ])("with %s does so", async (name, more) => {
    await add(3);
    const [first] = await claim();
    await spend(first, 20);
    await db.value(name, { p_id: first?.id, p_claim_token: first?.claim_token, ...more, p_now: noon });
    expect(await usage()).toMatchObject({ spent: 20, reserved: 50 });
    expect(await db.call("verify", { p_now: noon })).toEqual([]);
  });

  test("with its worker does so", async () => {
    await add(2);
    worker = await jobs.aWorker({ leaseSeconds: 30 });
    const [first] = await claim();
    await spend(first, 20);
    const later = secondsAfter(noon, 60);
    await db.call("sweep_lost_workers", { p_now: later });
    expect(await usage()).toMatchObject({ spent: 20, reserved: 0 });
    expect(await db.call("verify", { p_now: later })).toEqual([]);
    worker = await jobs.aWorker({ at: later });
    expect(await claim(10, later)).toHaveLength(1);
  });

  test("with a fan-out that it waits for does so", async () => {
    await add(1);
    const [first] = await claim();
    await spend(first, 20);
    await db.value("fan_out_job", {
      p_id: first?.id,
      p_claim_token: first?.claim_token,
      p_children: [{ pipeline: "orders", branch: "a" }],
      p_returns: "branches",
      p_now: noon,
    });
    expect(await usage()).toMatchObject({ spent: 20, reserved: 0 });
    expect(await db.call("verify", { p_now: noon })).toEqual([]);
  });

  test("can have spent more than was estimated", async () => {
    await add(2);
    const [first, second] = await claim();
    await spend(first, 90);
    expect(await usage()).toMatchObject({ spent: 90, reserved: 50 });
    await complete(first);
    await complete(second);
    await add(1);
    expect(await claim()).toEqual([]);
  });

  test("counts for the period in which it was claimed", async () => {
    await add(1);
    const [first] = await claim();
    await spend(first, 20, "tokens", nextHour);
    await complete(first, nextHour);
    const rows = await db.call("read_budget_usage", { p_name: "tokens", p_now: nextHour });
    expect(rows).toMatchObject([{ spent: "20", period_began: noon }]);
  });
});

describe("a job that waits", () => {
  beforeEach(() => aPipelineThatSpends({ tokens: 50 }));

  test("goes on when something is given back, the first that came first", async () => {
    const ids = await add(5);
    const [first] = await claim();
    await claim();
    await complete(first);
    expect(idsOf(await claim())).toEqual([ids[2]]);
  });

  test("goes on in a new period, of which the claim before has told", async () => {
    await add(3);
    const nextDueMs = await claimAndAskWhen();
    expect(nextDueMs).toBeGreaterThan(hour - 60_000);
    expect(nextDueMs).toBeLessThanOrEqual(hour);
    expect(await claim(10, nextHour)).toHaveLength(1);
  });

  test("goes on when the limit is raised, of all or of its owner", async () => {
    await add(4);
    await claim();
    const by = { p_name: "tokens", p_by: "grace", p_now: noon };
    expect(await db.value("set_budget_limit", { ...by, p_limit: 150 })).toBe(true);
    expect(await claim()).toHaveLength(1);
    expect(await db.value("set_budget_limit", { ...by, p_limit: 200, p_scope: "ada" })).toBe(true);
    expect(await claim()).toHaveLength(1);
  });

  test("goes on with the sweep, if no claim comes", async () => {
    await add(3);
    const [first] = await claim();
    await complete(first);
    await db.call("sweep_lost_workers", { p_now: noon });
    expect(await db.query("select from lockstep.jobs where status = 'pending'")).toHaveLength(1);
    expect(await usage()).toMatchObject({ reserved: 100 });
    expect(await claim()).toHaveLength(1);
    expect(await usage()).toMatchObject({ reserved: 100 });
  });

  test("is not overtaken by those of its owner that come later", async () => {
    await aPipelineThatSpends({ tokens: 60 });
    const [, large] = await add(2);
    const [first] = await claim();
    await aPipelineThatSpends({ tokens: 10 }, [tokens], "letters");
    await add(1, { pipeline: "letters" });
    expect(await claim(10, noon, "letters/read")).toEqual([]);
    await complete(first);
    expect(idsOf(await claim())).toEqual([large]);
  });

  test("is overtaken by more urgent ones", async () => {
    await add(2);
    const [first] = await claim();
    await add(1);
    const [urgent] = await add(1, { priority: 1 });
    await claim();
    await complete(first);
    expect(idsOf(await claim())).toEqual([urgent]);
  });

  test("is let go by a claim of another pipeline that shares its budget", async () => {
    await aPipelineThatSpends({ tokens: 100 }, [tokens], "letters");
    await add(1, { pipeline: "letters" });
    const [letter] = await claim(1, noon, "letters/read");
    const [waiting = ""] = await add(1);
    expect(await claim()).toEqual([]);
    await complete(letter);
    await claim(1, noon, "letters/read");
    expect(await jobs.read(waiting)).toMatchObject({ status: "pending" });
    expect(
      await db.query("select from lockstep.stage_moves where moved_from = 'scheduled' and wakes_for = 1"),
    ).toHaveLength(1);
  });

  test("goes on in its time of day, with what it was scheduled for", async () => {
    const at = secondsAfter(noon, -60);
    const [, second = ""] = await add(3, { scheduledFor: at, at: secondsAfter(noon, -120) });
    const claimed = await claim(1);
    await claim();
    await complete(claimed[0]);
    await claim();
    expect((await jobs.read(second)).scheduled_for).toEqual(at);
  });

  test("can be cancelled, and retried by a person", async () => {
    const [, , waiting = "", last] = await add(4);
    const [first] = await claim();
    expect(await db.value("cancel_job", { p_id: waiting, p_now: noon })).toBe("cancelled");
    expect(await usage()).toMatchObject({ waiting: 1 });
    await db.call("retry_job", { p_id: waiting, p_now: noon });
    expect(await claim()).toEqual([]);
    await complete(first);
    expect(idsOf(await claim())).toEqual([last]);
    expect(await db.call("verify", { p_now: noon })).toEqual([]);
  });

  test("gives back what it was granted when it is cancelled before a claim", async () => {
    const [, , granted = ""] = await add(3);
    const [first] = await claim();
    await complete(first);
    await db.call("sweep_lost_workers", { p_now: noon });
    expect(await usage()).toMatchObject({ reserved: 100 });
    await db.value("cancel_job", { p_id: granted, p_now: noon });
    expect(await usage()).toMatchObject({ reserved: 50 });
    expect(await db.call("verify", { p_now: noon })).toEqual([]);
  });

  test("gives back what it was granted in a period that is over", async () => {
    await add(3);
    const [first] = await claim();
    await complete(first);
    await db.call("sweep_lost_workers", { p_now: noon });
    const urgent = await add(2, { priority: 1, at: nextHour });
    expect(idsOf(await claim(10, nextHour))).toEqual(urgent);
    expect(await usage("ada", "tokens", nextHour)).toMatchObject({ reserved: 100, waiting: 1 });
    expect(await db.call("verify", { p_now: nextHour })).toEqual([]);
  });

  test("fails if it does not start in time", async () => {
    const [, , waiting = ""] = await add(3, { startBy: secondsAfter(noon, 60) });
    await claim();
    await db.call("sweep_lost_workers", { p_now: secondsAfter(noon, 61) });
    expect(await jobs.read(waiting)).toMatchObject({ status: "failed" });
  });

  test("goes on if its stage is defined without the budget", async () => {
    await add(3);
    await claim();
    await jobs.aPipeline("orders", ["read"]);
    await db.call("sweep_lost_workers", { p_now: noon });
    expect(await claim()).toHaveLength(1);
  });

  test("goes on if the budget is defined with more", async () => {
    await add(3);
    await claim();
    await aPipelineThatSpends({ tokens: 50 }, [{ ...tokens, limit: 150 }]);
    expect(await claim()).toHaveLength(1);
  });

  test("waits on while its stage is paused", async () => {
    await add(3);
    const [first] = await claim();
    await complete(first);
    await db.value("pause_stage", { p_pipeline: "orders", p_stage: "read" });
    await db.call("sweep_lost_workers", { p_now: noon });
    expect(await usage()).toMatchObject({ reserved: 50, waiting: 1 });
    await db.value("resume_stage", { p_pipeline: "orders", p_stage: "read" });
    expect(await claim(10, secondsAfter(noon, 2))).toHaveLength(1);
  });
});

describe("a job whose estimate is more than the limit", () => {
  beforeEach(() => aPipelineThatSpends({ tokens: 50 }));

  test("waits until that is raised, and holds up nobody", async () => {
    await aPipelineThatSpends({ tokens: 101 }, [tokens], "letters");
    await add(1, { pipeline: "letters" });
    expect(await claim(10, noon, "letters/read")).toEqual([]);
    await add(1);
    expect(await claim()).toHaveLength(1);
    await db.value("set_budget_limit", { p_name: "tokens", p_limit: 200, p_by: "grace", p_now: noon });
    expect(await claim(10, noon, "letters/read")).toHaveLength(1);
  });

  test("of 0 lets no job start", async () => {
    await aPipelineThatSpends({ tokens: 0 }, [{ ...tokens, limit: 0 }]);
    await add(1);
    expect(await claim()).toEqual([]);
  });
});

describe("several budgets", () => {
  const money = { name: "money", per: "total", limit: 1, unit: "USD" };

  beforeEach(() => aPipelineThatSpends({ tokens: 30, money: 0.4 }, [tokens, money]));

  test("must all have room", async () => {
    await add(2);
    await add(2, { owner: "bob" });
    expect(await claim()).toHaveLength(2);
    expect(await usage("", "money")).toEqual({ spent: 0, reserved: 0.8, waiting: 2 });
    expect(await db.call("verify", { p_now: noon })).toEqual([]);
  });

  test("are waited for one after the other", async () => {
    await aPipelineThatSpends({ money: 1 }, [money], "letters");
    await add(3);
    await add(1, { pipeline: "letters" });
    const [first] = await claim(2);
    await spend(first, 80);
    await spend(first, 0.4, "money");
    expect(await claim(2)).toEqual([]);
    await db.value("set_budget_limit", { p_name: "money", p_limit: 9, p_by: "grace", p_now: noon });
    expect(await claim(2)).toEqual([]);
    expect(await usage()).toMatchObject({ waiting: 1 });
    await db.value("set_budget_limit", { p_name: "tokens", p_limit: 300, p_by: "grace", p_now: noon });
    expect(await claim(2)).toHaveLength(1);
    expect(await db.call("verify", { p_now: noon })).toEqual([]);
  });

  test("per group, per pipeline and in total have scopes of their own", async () => {
    await aPipelineThatSpends({ g: 1, p: 1, t: 1 }, [
      { name: "g", per: "group", limit: 1 },
      { name: "p", per: "pipeline", limit: 2 },
      { name: "t", limit: 9 },
    ]);
    await add(2, { groupKey: "blue" });
    await add(2);
    expect(await claim()).toHaveLength(2);
    const scopes = await db.query(
      `select b.name, r.scope from lockstep.budget_reservations r join lockstep.budgets b on b.id = r.budget_id order by 1, 2`,
    );
    expect(scopes).toEqual([
      { name: "g", scope: "" },
      { name: "g", scope: "blue" },
      { name: "p", scope: "orders" },
      { name: "p", scope: "orders" },
      { name: "t", scope: "" },
      { name: "t", scope: "" },
    ]);
  });
});

test("a suspect that a budget has no room for waits like any other", async () => {
  await aPipelineThatSpends({ tokens: 60 });
  const [suspect = ""] = await add(1);
  await db.query("update lockstep.jobs set suspect = true, losses = 2 where id = $1", [suspect]);
  const other = await jobs.aWorker({ leaseSeconds: 36_000 });
  const [held] = await claim();
  expect(held?.id).toBe(suspect);
  const [second = ""] = await add(1);
  await db.query("update lockstep.jobs set suspect = true, losses = 2 where id = $1", [second]);
  expect(await jobs.claimAs(other)).toEqual([]);
  expect(await jobs.read(second)).toMatchObject({ status: "scheduled" });
  await complete(held);
  expect(idsOf(await jobs.claimAs(other))).toEqual([second]);
});

test("what a claim had reserved is reserved again when a crash has lost both", async () => {
  await aPipelineThatSpends({ tokens: 60 });
  const [id = ""] = await add(1);
  const token = crypto.randomUUID();
  const [{ id: stageId = 0 } = {}] = await db.query<{ id: number }>("select id from lockstep.stages");
  await db.call("present_claims", {
    p_worker_id: worker,
    p_ids: [id],
    p_tokens: [token],
    p_stage_ids: [stageId],
    p_attempts: [1],
    p_now: noon,
  });
  expect(await usage()).toBe(undefined);
  const [row] = await db.query("select amount, is_granted from lockstep.budget_reservations");
  expect(row).toMatchObject({ amount: "60", is_granted: false });
  expect(await db.call("verify", { p_now: noon })).toEqual([]);
});
