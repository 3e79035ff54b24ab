import { JobFactory, testDatabase } from "@lockstep/test-support";
import { beforeEach, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
const claimers = 64;

beforeEach(() => db.reset());

/** So many claimers at once, each of which claims some jobs, holds them for a moment and ends them, until all are done. */
async function race(total: number, watch: () => Promise<void>): Promise<void> {
  const clients = await Promise.all(Array.from({ length: claimers }, () => db.connect()));
  const workers: string[] = [];
  for (const _ of clients) workers.push(await jobs.aWorker({ leaseSeconds: 3_600, at: new Date() }));
  let done = 0;
  const claiming = clients.map(async (client, index) => {
    while (done < total) {
      const { rows } = await client.query(
        "select id, claim_token from lockstep.claim_jobs($1, '{orders/read}', 5)",
        [workers[index]],
      );
      for (const { id, claim_token } of rows) {
        await client.query("select lockstep.complete_job($1, $2)", [id, claim_token]);
        done += 1;
      }
    }
  });
  const watching = (async () => {
    while (done < total) await watch();
  })();
  await Promise.all([...claiming, watching]);
}

function addInGroups(total: number, groups: number): Promise<unknown> {
  return db.query(
    `select count(*) from lockstep.add_jobs((
       select jsonb_agg(jsonb_build_object('pipeline', 'orders', 'groupKey', 'g' || n % $2::integer))
       from generate_series(1, $1::integer) n
     ))`,
    [total, groups],
  );
}

test("64 claimers never overshoot the limits of a stage and its groups, and end all jobs", {
  timeout: 120_000,
}, async () => {
  await jobs.aPipeline("orders", [{ name: "read", concurrency: 20, groupConcurrency: 3 }]);
  await addInGroups(400, 15);
  let most = 0;
  await race(400, async () => {
    const [seen] = await db.query<{ total: number; largest: number }>(
      `select coalesce(sum(n), 0)::integer as total, coalesce(max(n), 0)::integer as largest
       from (select count(*) as n from lockstep.jobs where status = 'processing' group by group_key) g`,
    );
    expect(seen?.total).toBeLessThanOrEqual(20);
    expect(seen?.largest).toBeLessThanOrEqual(3);
    most = Math.max(most, seen?.total ?? 0);
  });
  expect(most).toBeGreaterThan(10);
  expect(await db.call("verify")).toEqual([]);
});

test("64 claimers never overshoot a rate", { timeout: 120_000 }, async () => {
  const rate = { jobs: 100, perMs: 1_000 };
  await jobs.aPipeline("orders", [{ name: "read", rate, groupRate: { jobs: 20, perMs: 1_000 } }]);
  await addInGroups(300, 10);
  await race(300, async () => {
    await db.query("select 1");
  });
  const windows = await db.query<{ all_jobs: number; of_group: number }>(
    `select
       count(*) over (order by claimed_at range between current row and '1 second' following)::integer as all_jobs,
       count(*) over (
         partition by group_key order by claimed_at range between current row and '1 second' following
       )::integer as of_group
     from lockstep.finished_jobs`,
  );
  expect(windows).toHaveLength(300);
  expect(Math.max(...windows.map((window) => window.all_jobs))).toBeLessThanOrEqual(100);
  expect(Math.max(...windows.map((window) => window.of_group))).toBeLessThanOrEqual(20);
});
