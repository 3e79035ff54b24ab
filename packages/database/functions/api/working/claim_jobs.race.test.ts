import { randomUUID } from "node:crypto";
import { JobFactory, testDatabase } from "@lockstep/test-support";
import type pg from "pg";
import { beforeEach, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
let stageId: number;

beforeEach(async () => {
  await db.reset();
  const { read = 0 } = await jobs.aPipeline("orders", ["read"]);
  stageId = read;
});

interface Claimer {
  client: pg.Client;
  worker: string;
}

async function claimers(count: number): Promise<Claimer[]> {
  const clients = await Promise.all(Array.from({ length: count }, () => db.connect()));
  return Promise.all(
    clients.map(async (client) => {
      const worker = randomUUID();
      await client.query("select lockstep.register_worker($1, 'w', '1 hour')", [worker]);
      return { client, worker };
    }),
  );
}

const addJobs = (count: number) =>
  db.query(
    `select count(*)
     from lockstep.add_jobs((select jsonb_agg('{"pipeline": "orders"}'::jsonb) from generate_series(1, $1::integer)))`,
    [count],
  );

async function expectClaimedOnce(claimed: readonly string[], count: number): Promise<void> {
  expect(claimed).toHaveLength(count);
  expect(new Set(claimed).size).toBe(count);
  expect(
    await db.query("select status, attempt, count(*)::integer from lockstep.jobs group by 1, 2"),
  ).toEqual([{ status: "processing", attempt: 1, count }]);
  expect(await db.call("verify")).toEqual([]);
}

/** As workers do: from where the last claim left off, and from the start when that comes back short. */
async function claimAll({ client, worker }: Claimer): Promise<string[]> {
  const claimed: string[] = [];
  const places = Array.from({ length: 20 }, () => "0");
  for (;;) {
    const { rows } = await client.query({
      name: "claim",
      text: `select id, priority, position
        from lockstep.settle_and_claim($1, $2, '{}', '{}', '[]', array[$3::integer], '{10}', $4::bigint[], '{1}', null)
        where kind = 'claimed'
        order by position`,
      values: [worker, randomUUID(), stageId, places],
    });
    if (rows.length === 0) return claimed;
    for (const { id, priority, position } of rows) {
      claimed.push(id);
      places[priority - 1] = position;
    }
  }
}

test("100 workers claim 10,000 jobs at once, ten at a time, each job once", {
  timeout: 120_000,
}, async () => {
  await addJobs(10_000);
  const claimedBy = await Promise.all((await claimers(100)).map(claimAll));
  await expectClaimedOnce(claimedBy.flat(), 10_000);
  expect(claimedBy.filter((ids) => ids.length > 0).length).toBeGreaterThan(50);
});

test("32 clients claim 1,000 jobs at once, one by one, each job once and under a token of its own", async () => {
  await addJobs(1_000);
  const claimedBy = await Promise.all(
    (await claimers(32)).map(async ({ client, worker }) => {
      const claimed: string[] = [];
      for (;;) {
        const { rows } = await client.query({
          name: "claim one",
          text: "select id from lockstep.claim_jobs($1, '{orders/read}', 1)",
          values: [worker],
        });
        if (rows.length === 0) return claimed;
        claimed.push(rows[0].id);
      }
    }),
  );
  await expectClaimedOnce(claimedBy.flat(), 1_000);
  const [{ tokens } = { tokens: 0 }] = await db.query<{ tokens: number }>(
    "select count(distinct claim_token)::integer as tokens from lockstep.jobs",
  );
  expect(tokens).toBe(1_000);
});
