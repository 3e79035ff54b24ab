import { JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import type pg from "pg";
import { beforeAll, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
const points = ["committed", "holding its locks", "rolled back"] as const;
const id = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
const [running, waiting, late] = [id(1), id(2), id(3)];
const [worker, lost] = [id(11), id(12)];
// The lease of the one worker is over, and no sweep has noticed yet.
const at = secondsAfter(noon, 35);
const later = secondsAfter(noon, 37);
let first: pg.Client;
let second: pg.Client;
let token: string;

/** A move on the jobs of one owner, whose budget has room for one of them. */
type Move = (client: pg.Client, now?: Date) => Promise<unknown>;

const call =
  (name: string, ...args: (() => unknown)[]): Move =>
  async (client, now = at) => {
    const values = args.map((arg) => arg());
    const places = values.map((_value, index) => `$${index + 1}`);
    const { rows } = await client.query(
      `select * from lockstep.${name}(${[...places, `p_now => $${values.length + 1}`].join(", ")})`,
      [...values, now],
    );
    return rows;
  };

const spends = (total: number) => () => JSON.stringify([{ id: running, token, budget: "tokens", total }]);

const moves: Record<string, Move> = {
  reserve: call(
    "claim_jobs",
    () => worker,
    () => ["asks/ask"],
    () => 5,
  ),
  spend: call("spend_budgets", spends(30)),
  settle: call(
    "complete_job",
    () => running,
    () => token,
  ),
  cancel: call("cancel_job", () => waiting),
  sweep: call("sweep_lost_workers"),
  "limit raised": call(
    "set_budget_limit",
    () => "tokens",
    () => 160,
    () => null,
    () => "grace",
  ),
};
/** These pass over what others hold, and come again later. */
const looksTwice = ["reserve", "sweep", "spend"];

/** One job runs on a worker that is lost by now and has said that it spent 20; another waits for the budget; a third comes. */
async function scene(): Promise<void> {
  await db.reset();
  const budgets = [{ name: "tokens", per: "owner", limit: 100 }];
  await jobs.aPipeline("asks", [{ name: "ask", spends: { tokens: 60 } }], { budgets });
  await jobs.aWorker({ id: lost, leaseSeconds: 30 });
  await jobs.aWorker({ id: worker, leaseSeconds: 36_000 });
  await jobs.aPendingJob({ pipeline: "asks", owner: "ada", id: running });
  await jobs.aPendingJob({ pipeline: "asks", owner: "ada", id: waiting });
  const [claimed] = await jobs.claimAs(lost, { stage: "asks/ask", batchSize: 5 });
  if (claimed?.id !== running) throw new Error("The scene is not as it should be.");
  token = claimed.claim_token;
  const said = [{ id: running, token, budget: "tokens", total: 20 }];
  await db.call("spend_budgets", { p_spends: said, p_now: noon });
  await jobs.aPendingJob({ pipeline: "asks", owner: "ada", id: late });
}

async function outcome(): Promise<unknown> {
  // What was passed over because it was locked goes on with the next sweep.
  await db.call("sweep_lost_workers", { p_now: later });
  expect(await db.call("verify", { p_now: later })).toEqual([]);
  const [held] = await db.query<{ held: string; spent: string }>(
    `select sum(t.held) as held, sum(t.spent) as spent from (
       select u.spent as held, u.spent from lockstep.budget_usage u
       union all select e.spent, e.spent from lockstep.budget_entries e
       union all select greatest(r.amount, r.spent), r.spent from lockstep.budget_reservations r
     ) t`,
  );
  const rows = await db.query(
    `select id, status, attempt, losses from lockstep.jobs
     union all select id, status, attempt, losses from lockstep.finished_jobs order by id`,
  );
  const waits = await db.query("select job_id, scope from lockstep.budget_waits order by job_id");
  return { held: Number(held?.held), spent: Number(held?.spent), rows, waits };
}

const known = new Map<string, unknown>();

/** What comes of moves that are made one after the other. */
async function inOrder(...names: string[]): Promise<unknown> {
  const key = names.join();
  if (known.has(key)) return known.get(key);
  await scene();
  for (const [index, name] of names.entries()) {
    await moves[name]?.(second, names.indexOf(name) < index ? later : at);
  }
  known.set(key, await outcome());
  return known.get(key);
}

const twice = (name: string) => (looksTwice.includes(name) ? [name, name] : [name]);

async function meet(one: string, other: string, point: (typeof points)[number]): Promise<unknown> {
  await scene();
  if (point === "committed") {
    await moves[one]?.(first);
    for (const [index, name] of twice(other).entries()) await moves[name]?.(second, index === 0 ? at : later);
    return await outcome();
  }
  await first.query("begin");
  await moves[one]?.(first);
  let isOver = false;
  const meeting = Promise.resolve(moves[other]?.(second)).finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const [{ blocked = false } = {}] = await db.query<{ blocked: boolean }>(
      "select cardinality(pg_blocking_pids($1)) > 0 as blocked",
      [(second as pg.Client & { processID: number }).processID],
    );
    if (blocked) break;
  }
  await first.query(point === "rolled back" ? "rollback" : "commit");
  await meeting;
  if (looksTwice.includes(other)) await moves[other]?.(second, later);
  return await outcome();
}

beforeAll(async () => {
  [first, second] = [await db.connect(), await db.connect()];
});

const names = Object.keys(moves);
const cases = points.flatMap((point) => names.map((name) => [name, point] as const));

test.each(cases)(
  "each move on a budget meets one of %s, %s, and it is as if one came after the other",
  async (one, point) => {
    for (const other of names) {
      const actual = await meet(one, other, point);
      const legal =
        point === "rolled back"
          ? [await inOrder(...twice(other))]
          : [await inOrder(one, ...twice(other)), await inOrder(other, one, ...twice(other).slice(1))];
      expect(legal, `${one} × ${other}, ${point}`).toContainEqual(actual);
    }
  },
);
