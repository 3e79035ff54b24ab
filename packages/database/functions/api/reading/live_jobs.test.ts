import { JobFactory, testDatabase } from "@lockstep/test-support";
import { beforeEach, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);

interface LiveJob {
  id: string;
  pipeline: string;
  stage: string;
  payload: unknown;
}

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read", "write"]);
  await jobs.aPipeline("letters", ["send"]);
});

async function page(args: Record<string, unknown> = {}): Promise<LiveJob[]> {
  return db.call<LiveJob>("live_jobs", args);
}

test("every job that is not finished comes, oldest first, with its pipeline and stage", async () => {
  const worker = await jobs.aWorker();
  const claimed = await jobs.aClaimedJob({ by: worker });
  const gone = await jobs.aPendingJob();
  await db.value("cancel_job", { p_id: gone });
  const retrying = await jobs.aClaimedJob({ by: worker });
  await db.value("fail_job", {
    p_id: retrying.id,
    p_claim_token: retrying.claim_token,
    p_error: { message: "x" },
  });
  const pending = await jobs.aPendingJob({ pipeline: "letters" });

  const ids = [claimed.id, retrying.id, pending].sort();
  const rows = await page();
  expect(rows.map(({ id }) => id)).toEqual(ids);
  expect(rows.find(({ id }) => id === pending)).toMatchObject({ pipeline: "letters", stage: "send" });
  expect(rows.find(({ id }) => id === claimed.id)).toMatchObject({ pipeline: "orders", stage: "read" });
});

test("payloads come only with the pipelines named", async () => {
  await jobs.aPendingJob({ payload: { order: 1 } });
  await jobs.aPendingJob({ pipeline: "letters", payload: { letter: 1 } });
  const rows = await page({ p_pipelines: ["letters", "unheard-of"] });
  expect(rows.map(({ pipeline, payload }) => [pipeline, payload])).toEqual(
    expect.arrayContaining([
      ["orders", null],
      ["letters", { letter: 1 }],
    ]),
  );
});

test("page after page shows each job once", async () => {
  const ids: string[] = [];
  for (let made = 0; made < 7; made += 1) ids.push(await jobs.aPendingJob());
  const seen: string[] = [];
  for (let rows = await page({ p_limit: 3 }); rows.length > 0; ) {
    expect(rows.length).toBeLessThanOrEqual(3);
    seen.push(...rows.map(({ id }) => id));
    rows = await page({ p_limit: 3, p_after: seen.at(-1) });
  }
  expect(seen).toEqual([...ids].sort());
});

test("a page with large payloads ends sooner, and still shows at least one job", async () => {
  // What does not compress, so that it is stored as large as it looks.
  const noise = () => ({
    text: Array.from({ length: 24_000 }, () => Math.random().toString(36).slice(2, 12)).join(""),
  });
  for (let made = 0; made < 25; made += 1) await jobs.aPendingJob({ payload: noise() });
  const rows = await page({ p_pipelines: ["orders"] });
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.length).toBeLessThan(25);
  const rest = await page({ p_pipelines: ["orders"], p_after: rows.at(-1)?.id });
  expect(rest.length).toBeGreaterThan(0);
});

test("a page is read by the primary key, however many jobs wait", async () => {
  await db.query(
    `insert into lockstep.jobs (id, added_at, pipeline_id, stage_id, position, ready_at, status, payload)
     select gen_random_uuid(), now(), s.pipeline_id, s.id, n, now(), 'pending', '{}'
     from generate_series(1, 20000) n, lockstep.stages s where s.name = 'send'`,
  );
  await db.query("begin");
  await page({ p_limit: 10 });
  const [read] = await db.query<{ rows: string }>(
    `select seq_tup_read + idx_tup_fetch as rows
     from pg_stat_xact_user_tables where schemaname = 'lockstep' and relname = 'jobs'`,
  );
  await db.query("rollback");
  expect(Number(read?.rows)).toBeGreaterThan(0);
  expect(Number(read?.rows)).toBeLessThan(1_000);
});

test.each([0, 1_001, null])("a limit of %s is refused", async (limit) => {
  await expect(page({ p_limit: limit })).rejects.toMatchObject({ code: "LS001" });
});
