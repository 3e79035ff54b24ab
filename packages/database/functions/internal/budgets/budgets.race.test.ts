import { JobFactory, noon, testDatabase } from "@lockstep/test-support";
import { beforeEach, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
const claimers = 64;
const owners = 20;
const hour = 3_600_000;

beforeEach(() => db.reset());

/**
 * What each scope holds of its limit at this moment, in one snapshot; it reads the rows themselves and not through the function that claims
 * decide by.
 */
const heldSql = `
  select b.name || '/' || t.scope as scope, sum(t.held)::float8 as held
  from (
    select u.budget_id, u.scope, u.period_began, u.spent as held from lockstep.budget_usage u
    union all
    select e.budget_id, e.scope, e.period_began, e.spent from lockstep.budget_entries e
    union all
    select r.budget_id, r.scope, r.period_began, greatest(r.amount, r.spent) from lockstep.budget_reservations r
  ) t
  join lockstep.budgets b on b.id = t.budget_id
  group by b.name, t.scope, t.period_began, b.defined_limit
  having sum(t.held) > b.defined_limit`;

test("64 claimers never overshoot the budgets of 20 owners, and end all jobs", {
  timeout: 180_000,
}, async () => {
  const budgets = [
    { name: "tokens", per: "owner", limit: 100, everyMs: hour },
    { name: "calls", per: "total", limit: 30, everyMs: hour },
  ];
  await jobs.aPipeline("orders", [{ name: "read", spends: { tokens: 30, calls: 1 } }], { budgets });
  await jobs.aPipeline("letters", [{ name: "read", spends: { tokens: 30 } }], {
    budgets: budgets.slice(0, 1),
  });
  const total = 200;
  await db.query(
    `select count(*) from lockstep.add_jobs((
       select jsonb_agg(jsonb_build_object(
         'pipeline', case when n % 3 = 0 then 'letters' else 'orders' end, 'owner', 'o' || n % $2::integer))
       from generate_series(1, $1::integer) n
     ), p_now => $3)`,
    [total, owners, noon],
  );

  const clients = await Promise.all(Array.from({ length: claimers }, () => db.connect()));
  const workers: string[] = [];
  for (const _ of clients) workers.push(await jobs.aWorker({ leaseSeconds: 360_000_000 }));
  let done = 0;
  let nowMs = noon.getTime();
  let turns = 0;
  let idle = 0;
  const now = () => new Date(nowMs);
  const claiming = clients.map(async (client, index) => {
    // Each pipeline has a gate of its own, so that only the budget they share keeps them apart.
    const stages = [index % 2 === 0 ? "orders/read" : "letters/read"];
    while (done < total) {
      const { rows } = await client.query(
        "select id, claim_token from lockstep.claim_jobs($1, $2, 3, p_now => $3)",
        [workers[index], stages, now()],
      );
      idle = rows.length > 0 ? 0 : idle + 1;
      for (const { id, claim_token } of rows) {
        const total = Math.floor(Math.random() * 31);
        const spends = JSON.stringify([{ id, token: claim_token, budget: "tokens", total }]);
        await client.query("select * from lockstep.spend_budgets($1, $2)", [spends, now()]);
        const name = Math.random() < 0.1 ? "release_job" : "complete_job";
        await client.query(`select lockstep.${name}($1, $2, p_now => $3)`, [id, claim_token, now()]);
        if (name === "complete_job") done += 1;
      }
      // Nobody finds anything any more: all budgets are used up, and the next period begins.
      if (idle > 2 * claimers) {
        idle = 0;
        turns += 1;
        nowMs += hour;
      }
    }
  });
  const watching = (async () => {
    while (done < total) expect(await db.query(heldSql)).toEqual([]);
  })();
  await Promise.all([...claiming, watching]);
  expect(turns).toBeGreaterThan(1);
  expect(await db.call("verify", { p_now: now() })).toEqual([]);
  expect(await db.query("select from lockstep.budget_reservations")).toEqual([]);
});
