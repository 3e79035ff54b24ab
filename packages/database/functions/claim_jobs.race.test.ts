import { JobFactory, testDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);

test("64 workers claim 50,000 jobs at once, each job once", { timeout: 60_000 }, async () => {
  await jobs.aPipeline("orders", ["read"]);
  await db.query(
    `select count(*)
     from lockstep.add_jobs((select jsonb_agg('{"pipeline": "orders"}'::jsonb) from generate_series(1, 50000)))`,
  );

  const clients = await Promise.all(Array.from({ length: 64 }, () => db.connect()));
  const workers: string[] = [];
  for (const _ of clients) workers.push(await jobs.aWorker({ leaseSeconds: 3_600, at: new Date() }));

  const claimedBy = await Promise.all(
    clients.map(async (client, index) => {
      const claimed: string[] = [];
      for (;;) {
        const { rows } = await client.query(
          "select id, claim_token from lockstep.claim_jobs($1, '{orders/read}', 25)",
          [workers[index]],
        );
        if (rows.length === 0) return claimed;
        for (const row of rows) claimed.push(row.id);
      }
    }),
  );

  const claimed = claimedBy.flat();
  expect(claimed).toHaveLength(50_000);
  expect(new Set(claimed).size).toBe(50_000);
  expect(claimedBy.filter((ids) => ids.length > 0).length).toBeGreaterThan(32);
  expect(
    await db.query(
      `select status, attempt, count(*)::integer, count(distinct claim_token)::integer as tokens
       from lockstep.jobs group by 1, 2`,
    ),
  ).toEqual([{ status: "processing", attempt: 1, count: 50_000, tokens: 50_000 }]);
  expect(await db.call("verify")).toEqual([]);
});
