import { JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read"]);
  await jobs.aPipeline("other", ["read"]);
});

async function givenSchedules(pipeline: string, count: number, look: Date): Promise<void> {
  await db.query(
    `insert into lockstep.schedules
       (name, pipeline_id, cron, time_zone, payload, priority, missed, revision, changed_at, counts_from, next_at, look_at)
     select $1 || '-' || extract(epoch from $3::timestamptz) || '-' || n, p.id, '@daily', 'UTC', '{}', 10, 'skip',
       gen_random_uuid(), $3, $3, $3, $3::timestamptz + n * interval '1 second'
     from lockstep.pipelines p, generate_series(1, $2::int) n where p.name = $1`,
    [pipeline, count, look],
  );
}

test.each([
  ["without statistics", "select"],
  ["with statistics", "analyze lockstep.schedules"],
])("what is due among 5,000 schedules is found without reading the others, %s", async (_when, prepare) => {
  await givenSchedules("orders", 4_000, secondsAfter(noon, 3_600));
  // Due, but another worker's.
  await givenSchedules("other", 1_000, secondsAfter(noon, -3_600));
  await givenSchedules("orders", 3, secondsAfter(noon, -60));
  await db.query(prepare);
  await db.query("begin");
  const due = await db.call("due_schedules", { p_pipelines: ["orders"], p_now: noon });
  const [read] = await db.query(
    `select (seq_tup_read + idx_tup_fetch)::int as rows
     from pg_stat_xact_user_tables where relid = 'lockstep.schedules'::regclass`,
  );
  await db.query("commit");
  expect(due).toHaveLength(3);
  // It may still count a little of what this connection did before.
  expect(read?.rows).toBeLessThan(20);
});

test("at most a hundred come at a time, the longest due first", async () => {
  await givenSchedules("orders", 150, secondsAfter(noon, -1_000));
  const due = await db.call<{ next_at: Date; name: string }>("due_schedules", {
    p_pipelines: ["orders"],
    p_now: noon,
  });
  expect(due).toHaveLength(100);
  expect(due[0]?.name).toMatch(/-1$/);
});
