import { createEngine, parseJobFilter } from "lockstep";
import type pg from "pg";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { describeInBrowser, storyBrowser } from "../browser/browser.ts";
import { consolePages } from "../browser/console-pages.ts";
import { consoleSite } from "../browser/console-site.ts";
import { busyMsOf } from "./busy-time.ts";
import { addMillionJobs, holderId } from "./million-jobs.ts";
import { msOf, requestsOf } from "./page-requests.ts";
import { plansOf } from "./plans-of.ts";
import { quietDatabase } from "./quiet-database.ts";

// The time it takes is part of what is promised here, so it is measured, as nowhere else.

const db = quietDatabase();
// Two days back, of six.
const deep = `p_after => jsonb_build_object('key', '0', 'id', lockstep.id_at(((extract(epoch from now()) - 172800) * 1000)::bigint))`;
let client: pg.Client;

beforeAll(async () => {
  await addMillionJobs(db);
  client = await db.connect();
}, 240_000);

const jobs = (filter: object, ...rest: string[]) => call("list_jobs", filter, ...rest);
const call = (name: string, filter: object, ...rest: string[]) =>
  `select * from lockstep.${name}(${[`'${JSON.stringify(filter)}'`, ...rest].join(", ")})`;

/** Blocks: what a page may look at, however many jobs there are. */
const asks: { ask: string; sql: string; rows: number; blocks: number }[] = [
  { ask: "the newest", sql: jobs({}), rows: 50, blocks: 6_000 },
  { ask: "the newest with their payloads", sql: call("search_jobs", {}), rows: 50, blocks: 6_000 },
  { ask: "a page deep in history", sql: jobs({}, deep), rows: 50, blocks: 6_000 },
  { ask: "the page before it", sql: jobs({}, deep, "p_backwards => true"), rows: 50, blocks: 6_000 },
  { ask: "those of a pipeline", sql: jobs({ pipeline: "pipeline-7" }, deep), rows: 50, blocks: 2_000 },
  { ask: "the completed", sql: jobs({ statuses: ["completed"] }), rows: 50, blocks: 6_000 },
  { ask: "the failed behind 60,000 cancelled", sql: jobs({ statuses: ["failed"] }), rows: 50, blocks: 6_000 },
  { ask: "the failed by end", sql: jobs({ statuses: ["failed"] }, "'-finishedAt'"), rows: 50, blocks: 6_000 },
  {
    ask: "all without success by end",
    sql: jobs({ statuses: ["failed", "cancelled"] }, "'-finishedAt'"),
    rows: 50,
    blocks: 9_000,
  },
  {
    ask: "the waiting by time",
    sql: jobs({ statuses: ["scheduled", "retrying"] }, "'scheduledFor'"),
    rows: 50,
    blocks: 1_500,
  },
  {
    ask: "the pending by claim",
    sql: jobs({ statuses: ["pending"] }, "'claimOrder'"),
    rows: 50,
    blocks: 15_000,
  },
  {
    ask: "the processing by claim",
    sql: jobs({ statuses: ["processing"] }, "'claimedAt'"),
    rows: 50,
    blocks: 1_500,
  },
  { ask: "those of an owner", sql: jobs({ owner: "user-7" }), rows: 50, blocks: 2_000 },
  { ask: "those with an error", sql: jobs({ error: "kind-25" }), rows: 50, blocks: 2_000 },
  { ask: "those of an hour two days ago", sql: jobs(spanAgo(48, 47)), rows: 50, blocks: 15_000 },
  { ask: "a rare tag", sql: jobs({ tag: "nightly" }), rows: 3, blocks: 80_000 },
  { ask: "a tag that there is not", sql: jobs({ tag: "none" }), rows: 1, blocks: 80_000 },
  {
    ask: "the same in one pipeline",
    sql: jobs({ tag: "none", pipeline: "pipeline-1" }, deep),
    rows: 1,
    blocks: 60_000,
  },
  {
    ask: "a payload",
    sql: call("search_jobs", { payload: { doc: "contract-7.pdf" } }),
    rows: 1,
    blocks: 80_000,
  },
  { ask: "another stage", sql: jobs({ stage: "read" }), rows: 1, blocks: 80_000 },
  { ask: "how many there are", sql: call("count_jobs", {}), rows: 1, blocks: 30_000 },
  {
    ask: "how many completed",
    sql: call("count_jobs", { statuses: ["completed"] }),
    rows: 1,
    blocks: 30_000,
  },
  {
    ask: "how many of a pipeline",
    sql: call("count_jobs", { pipeline: "pipeline-7" }),
    rows: 1,
    blocks: 30_000,
  },
  { ask: "how many have a tag", sql: call("count_jobs", { tag: "none" }), rows: 1, blocks: 60_000 },
  { ask: "how many are pending", sql: call("count_jobs", { statuses: ["pending"] }), rows: 1, blocks: 500 },
  { ask: "the errors", sql: "select * from lockstep.list_errors()", rows: 5, blocks: 40_000 },
  {
    ask: "the errors over time",
    sql: "select * from lockstep.read_error_history(p_from => now() - interval '7 days')",
    rows: 5,
    blocks: 40_000,
  },
];

describe.each(["without statistics", "with statistics"])("at a million jobs %s", (when) => {
  beforeAll(async () => {
    if (when === "with statistics") await db.query("analyze lockstep.jobs, lockstep.finished_jobs");
  }, 120_000);

  test.each(asks)("no plan for $ask goes through a table of jobs", async ({ sql, blocks }) => {
    const plans = await plansOf(client, sql);
    const walked = plans.texts.filter((plan) => /Seq Scan on (?:\w+_)?jobs/.test(plan));
    expect(walked).toEqual([]);
    expect(plans.blocks).toBeLessThanOrEqual(blocks);
    expect(plans.blocks).toBeGreaterThan(0);
  });
});

// About 100 ms, on a machine as fast as those that the promise was made for.
test.each(asks)("$ask: an answer is less work than adding up 600,000 numbers", async ({ sql, rows }) => {
  const busyMs = await busyMsOf(client, async () => {
    const answer = await client.query(sql);
    expect(answer.rows.length).toBeGreaterThanOrEqual(rows);
  });
  const addingUpMs = await busyMsOf(client, () =>
    client.query("select sum(n) from generate_series(1, 600000) n"),
  );
  expect(busyMs).toBeLessThan(addingUpMs);
});

test("a rare tag is found page by page, and each page says how far it looked", async () => {
  const engine = createEngine({ databaseUrl: db.url, pipelines: [], logger: null });
  onTestFinished(() => engine.stop());
  const reader = engine.reader();
  const filter = parseJobFilter("tag:nightly pipeline:pipeline-5 since:20h", new Date());
  const found: Date[] = [];
  let page = await reader.jobs(filter);
  for (; page.next !== null; page = await reader.jobs(filter, { cursor: page.next })) {
    found.push(...page.jobs.map(({ addedAt }) => addedAt));
    if (page.isCutShort) expect(page.scannedTo?.getTime()).toBeLessThan(Date.now());
  }
  found.push(...page.jobs.map(({ addedAt }) => addedAt));
  const [{ expected } = { expected: 0 }] = await db.query<{ expected: number }>(
    `select count(*)::integer as expected
     from (
       select pipeline_id, tags, added_at from lockstep.finished_jobs
       union all
       select pipeline_id, tags, added_at from lockstep.jobs
     ) j
     join lockstep.pipelines p on p.id = j.pipeline_id and p.name = 'pipeline-5'
     where j.tags is not null and j.added_at >= $1`,
    [filter.addedAfter],
  );
  expect(found).toHaveLength(expected);
  expect(found).toEqual(found.toSorted((a, b) => b.getTime() - a.getTime()));
});

describeInBrowser("the console before a million jobs", () => {
  const browser = storyBrowser();
  const promisedServerMs = 500;
  const statuses = ["scheduled", "pending", "processing", "retrying", "completed", "failed", "cancelled"];
  const filters = ["tag:nightly", "tag:none", "owner:user-7", "until:48h", "payload.doc:contract-7.pdf"];

  test("whatever page is opened, the server needs at most half a second for each thing it asks", async () => {
    const { url, engine } = await consoleSite(db);
    const [failed] = await db.query<{ id: string; fingerprint: string }>(
      "select id, fingerprint from lockstep.unsuccessful_jobs where status = 'failed' limit 1",
    );
    const { id: jobId = "", fingerprint = "" } = failed ?? {};
    await db.call("register_worker", { p_worker_id: holderId, p_name: "worker-1", p_lease: "1 hour" });
    const { id: bulkId } = await engine.bulk.start({ action: "cancel", ids: [jobId] });
    const places = { pipeline: "pipeline-1", jobId, workerId: holderId, fingerprint, bulkId };
    const paths = [
      ...Object.values(consolePages(places)),
      ...["/", "/pipelines", "/pipelines/pipeline-1"].map((path) => `${path}?range=7d`),
      ...statuses.map((status) => `/jobs?status=${status}`),
      ...filters.map((filter) => `/jobs?filter=${filter}`),
    ];
    const requests = await requestsOf(await browser.person(), url, paths);
    expect(new Set(requests.map(({ path }) => path)).size).toBe(paths.length);
    const slow: object[] = [];
    for (const request of requests) {
      if (request.status >= 400) slow.push(request);
      // This machine may have had other things to do: asked again, alone, by nobody but us.
      let bestMs = request.serverMs;
      for (let tries = 0; tries < 10 && bestMs > promisedServerMs; tries++) {
        const { headers } = await fetch(request.url);
        bestMs = Math.min(bestMs, msOf(headers.get("server-timing")));
      }
      if (bestMs > promisedServerMs) slow.push({ ...request, bestMs });
    }
    expect(slow).toEqual([]);
  }, 400_000);
});

function spanAgo(fromHours: number, toHours: number): object {
  const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
  return { addedAfter: ago(fromHours), addedBefore: ago(toHours) };
}
