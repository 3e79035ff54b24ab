import { createEngine, parseJobFilter } from "lockstep";
import type pg from "pg";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { describeInBrowser, storyBrowser } from "../browser/browser.ts";
import { consolePages } from "../browser/console-pages.ts";
import { consoleSite } from "../browser/console-site.ts";
import { addManyJobs, holderId } from "./many-jobs.ts";
import { OverheardReads } from "./overheard-reads.ts";
import { requestsOf } from "./page-requests.ts";
import { quietDatabase } from "./quiet-database.ts";
import { readsOf } from "./reads-of.ts";

interface Bound {
  readonly rows: number;
  readonly blocks: number;
}

/** Where an index has what is asked for: the next rows of each pipeline, status and day. */
const page: Bound = { rows: 5_000, blocks: 6_000 };
/** Where each row has to be looked at: 20,000 of them in a call, after live jobs were gathered, up to 5,000 of a kind. */
const look: Bound = { rows: 35_000, blocks: 40_000 };

const db = quietDatabase();
// Two days back, of six.
const deep = `p_after => jsonb_build_object('key', '0', 'id', lockstep.id_at(((extract(epoch from now()) - 172800) * 1000)::bigint))`;
let client: pg.Client;

beforeAll(async () => {
  await addManyJobs(db);
  client = await db.connect();
}, 120_000);

const jobs = (filter: object, ...rest: string[]) => call("list_jobs", filter, ...rest);
const call = (name: string, filter: object, ...rest: string[]) =>
  `select * from lockstep.${name}(${[`'${JSON.stringify(filter)}'`, ...rest].join(", ")})`;

/** What people ask for, how many rows answer it at least, and how far the server may look for them. */
const asks: { ask: string; sql: string; rows: number; bound: Bound }[] = [
  { ask: "the newest", sql: jobs({}), rows: 50, bound: page },
  { ask: "the newest with their payloads", sql: call("search_jobs", {}), rows: 50, bound: page },
  { ask: "a page deep in history", sql: jobs({}, deep), rows: 50, bound: page },
  { ask: "the page before it", sql: jobs({}, deep, "p_backwards => true"), rows: 50, bound: page },
  { ask: "those of a pipeline", sql: jobs({ pipeline: "pipeline-7" }, deep), rows: 50, bound: page },
  { ask: "the completed", sql: jobs({ statuses: ["completed"] }), rows: 50, bound: page },
  { ask: "the failed behind 30,000 cancelled", sql: jobs({ statuses: ["failed"] }), rows: 50, bound: page },
  { ask: "the failed by end", sql: jobs({ statuses: ["failed"] }, "'-finishedAt'"), rows: 50, bound: page },
  {
    ask: "all without success by end",
    sql: jobs({ statuses: ["failed", "cancelled"] }, "'-finishedAt'"),
    rows: 50,
    bound: page,
  },
  {
    ask: "the waiting by time",
    sql: jobs({ statuses: ["scheduled", "retrying"] }, "'scheduledFor'"),
    rows: 50,
    bound: page,
  },
  {
    ask: "the pending by claim",
    sql: jobs({ statuses: ["pending"] }, "'claimOrder'"),
    rows: 50,
    bound: page,
  },
  {
    ask: "the processing by claim",
    sql: jobs({ statuses: ["processing"] }, "'claimedAt'"),
    rows: 50,
    bound: page,
  },
  { ask: "those of an owner", sql: jobs({ owner: "user-7" }), rows: 50, bound: page },
  { ask: "those with an error", sql: jobs({ error: "kind-25" }), rows: 50, bound: page },
  { ask: "those of an hour two days ago", sql: jobs(spanAgo(48, 47)), rows: 50, bound: page },
  { ask: "a rare tag", sql: jobs({ tag: "nightly" }), rows: 3, bound: look },
  { ask: "a tag that no job has", sql: jobs({ tag: "none" }), rows: 1, bound: look },
  {
    ask: "the same in one pipeline",
    sql: jobs({ tag: "none", pipeline: "pipeline-1" }, deep),
    rows: 1,
    bound: look,
  },
  {
    ask: "a payload",
    sql: call("search_jobs", { payload: { doc: "contract-7.pdf" } }),
    rows: 1,
    bound: look,
  },
  { ask: "another stage", sql: jobs({ stage: "read" }), rows: 1, bound: look },
  { ask: "how many there are", sql: call("count_jobs", {}), rows: 1, bound: look },
  { ask: "how many completed", sql: call("count_jobs", { statuses: ["completed"] }), rows: 1, bound: look },
  {
    ask: "how many of a pipeline",
    sql: call("count_jobs", { pipeline: "pipeline-7" }),
    rows: 1,
    bound: look,
  },
  { ask: "how many have a tag", sql: call("count_jobs", { tag: "none" }), rows: 1, bound: look },
  { ask: "how many are pending", sql: call("count_jobs", { statuses: ["pending"] }), rows: 1, bound: page },
  { ask: "the errors", sql: "select * from lockstep.list_errors()", rows: 5, bound: look },
  {
    ask: "the errors over time",
    sql: "select * from lockstep.read_error_history(p_from => now() - interval '7 days')",
    rows: 5,
    bound: look,
  },
  {
    ask: "a week of a busy pipeline",
    sql: "select * from lockstep.read_stage_history('pipeline-1', null, now() - interval '7 days', null, '2 hours')",
    rows: 168,
    bound: page,
  },
];

describe.each(["without statistics", "with statistics"])("before 132,100 jobs %s", (when) => {
  beforeAll(async () => {
    if (when === "with statistics") await db.query("analyze");
  }, 120_000);

  test.each(asks)("the server looks for $ask no further than its bound", async ({ sql, rows, bound }) => {
    const { answers, reads } = await readsOf(client, sql);
    expect(answers).toBeGreaterThanOrEqual(rows);
    expect(reads.rows).toBeLessThanOrEqual(bound.rows);
    expect(reads.blocks).toBeLessThanOrEqual(bound.blocks);
    expect(reads.rows).toBeGreaterThan(0);
  });
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

describeInBrowser("the console before 132,100 jobs", () => {
  const browser = storyBrowser();
  const statuses = ["scheduled", "pending", "processing", "retrying", "completed", "failed", "cancelled"];
  const filters = ["tag:nightly", "tag:none", "owner:user-7", "until:48h", "payload.doc:contract-7.pdf"];

  test("whatever page is opened, the server looks no further for anything it asks", async () => {
    const overheard = await OverheardReads.start(db);
    onTestFinished(() => overheard.stop());
    const { url, engine } = await consoleSite(overheard);
    const [failed] = await db.query<{ id: string; fingerprint: string }>(
      "select id, fingerprint from lockstep.unsuccessful_jobs where status = 'failed' limit 1",
    );
    const { id: jobId = "", fingerprint = "" } = failed ?? {};
    await db.call("register_worker", { p_worker_id: holderId, p_name: "worker-1", p_lease: "1 hour" });
    const { id: bulkId } = await engine.bulk.start({ action: "cancel", ids: [jobId] });
    const places = {
      ...{ pipeline: "pipeline-1", jobId, branchedJobId: jobId, workerId: holderId, fingerprint, bulkId },
    };
    const paths = [
      ...Object.values(consolePages(places)),
      ...["/", "/pipelines", "/pipelines/pipeline-1"].map((path) => `${path}?range=7d`),
      ...statuses.map((status) => `/jobs?status=${status}`),
      ...filters.map((filter) => `/jobs?filter=${filter}`),
    ];
    for (const { path, requests } of await requestsOf(await browser.person(), url, paths)) {
      expect(requests, path).not.toEqual([]);
      expect(
        requests.filter(({ status }) => status >= 400),
        path,
      ).toEqual([]);
    }
    const reads = overheard.take();
    expect(reads.length).toBeGreaterThan(paths.length);
    expect(reads.filter(({ rows, blocks }) => rows > look.rows || blocks > look.blocks)).toEqual([]);
  }, 400_000);
});

function spanAgo(fromHours: number, toHours: number): object {
  const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
  return { addedAfter: ago(fromHours), addedBefore: ago(toHours) };
}
