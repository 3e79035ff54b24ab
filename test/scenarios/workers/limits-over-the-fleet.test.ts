import { testDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { startWorker } from "../processes/worker-process.ts";
import { storyEngine } from "../stories/story-engine.ts";
import { storyPipelines } from "../stories/story-pipelines.ts";
import { until } from "../stories/until.ts";
import { verifyAfterEach } from "../stories/verify-after-each.ts";

const db = testDatabase();
verifyAfterEach(db);

const { limited } = storyPipelines();
const jobCount = 60;
// A place that waited for a poll would wait for longer than the test.
const seldom = { pollIntervalMs: 600_000 };

test("three workers of ten processors each keep the limits of a stage together, and let no place stand empty", async () => {
  const client = storyEngine(db);
  const workers = await Promise.all(
    [1, 2, 3].map(() => startWorker(db, { pipelines: ["limited"], settings: seldom })),
  );
  await client.addMany(
    limited,
    Array.from({ length: jobCount }, (_, number) => ({
      payload: { do: "linger", forMs: 50 },
      groupKey: ["ada", "grace", "mary"][number % 3],
    })),
  );
  const seen: { total: number; largest: number }[] = [];
  await until("no job is left", async () => {
    const [row] = await db.query<{ total: number; largest: number; waiting: number }>(
      `select coalesce(sum(running), 0)::integer as total, coalesce(max(running), 0)::integer as largest,
         coalesce(sum(waiting), 0)::integer as waiting
       from (
         select count(*) filter (where status = 'processing') as running, count(*) filter (where status = 'pending') as waiting
         from lockstep.jobs group by group_key
       ) g`,
    );
    if (row !== undefined) seen.push(row);
    return row?.total === 0 && row.waiting === 0;
  });
  expect(Math.max(...seen.map(({ total }) => total))).toBeLessThanOrEqual(4);
  expect(Math.max(...seen.map(({ largest }) => largest))).toBeLessThanOrEqual(2);
  for (const { events } of workers) expect(events.all("engine.error")).toEqual([]);

  // Handlers too: what began while others ran.
  const ends = await db.query<{ claimed_at: Date; finished_at: Date }>(
    "select claimed_at, finished_at from lockstep.finished_jobs where status = 'completed'",
  );
  expect(ends).toHaveLength(jobCount);
  const atOnce = ends.map(
    ({ claimed_at }) =>
      ends.filter((other) => other.claimed_at <= claimed_at && other.finished_at > claimed_at).length,
  );
  expect(Math.max(...atOnce)).toBe(4);
});
