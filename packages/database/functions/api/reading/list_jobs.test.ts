import { JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, describe, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
let worker: string;

interface Listed {
  id: string;
  place: { key: string; id: string };
}

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read", "write"]);
  await jobs.aPipeline("letters", ["send"]);
  worker = await jobs.aWorker({ leaseSeconds: 600 });
});

const list = (args: object = {}) => db.call<Listed>("list_jobs", { ...args });
const idsOf = async (args: object = {}) => (await list(args)).map(({ id }) => id);
const search = async (filter: object) =>
  (await db.call<Listed>("search_jobs", { p_filter: filter })).map(({ id }) => id);

describe("a list of jobs", () => {
  test("has live and finished ones, the newest first", async () => {
    const oldest = await jobs.aPendingJob();
    const failed = await jobs.aFailedJob({ by: worker, priority: 1, at: secondsAfter(noon, 1) });
    const newest = await jobs.aPendingJob({ at: secondsAfter(noon, 2) });
    expect(await idsOf()).toEqual([newest, failed.id, oldest]);
  });

  test("has a job's summary, without payload, outputs, the stack of its error and its causes", async () => {
    const { id, claim_token } = await jobs.aClaimedJob({
      by: worker,
      payload: "secret",
      owner: "ada",
      dedupKey: "k",
      tags: ["t"],
    });
    await db.value("fail_job", {
      p_id: id,
      p_claim_token: claim_token,
      p_error: {
        ...{ name: "Error", message: "broken", stack: "at line 1" },
        cause: { name: "Error", message: "cause", hasMoreCauses: true },
        hasMoreCauses: true,
        errors: [{ name: "Error", message: "one of many" }],
        moreErrors: 1,
      },
      p_retry_after: "60 seconds",
      p_now: noon,
    });
    const [row] = await list();
    expect(row).toMatchObject({
      id,
      pipeline: "orders",
      stage: "read",
      status: "retrying",
      priority: 10,
      attempt: 1,
      losses: 0,
      owner: "ada",
      group_key: null,
      dedup_key: "k",
      batch_id: null,
      tags: ["t"],
      added_at: noon,
      scheduled_for: secondsAfter(noon, 60),
      error: { name: "Error", message: "broken" },
    });
    expect(Object.keys(row ?? {})).not.toContain("payload_preview");
    expect(JSON.stringify(row)).not.toMatch(/secret|at line 1|cause|one of many|more/i);
  });

  test("can be asked for by every name of a filter", async () => {
    const failed = await jobs.aFailedJob({ by: worker, owner: "ada", at: noon });
    const at = secondsAfter(noon, 0.5);
    const moved = await jobs.aClaimedJob({ by: worker, at });
    await db.value("complete_job", { p_id: moved.id, p_claim_token: moved.claim_token, p_now: at });
    const mine = await jobs.aPendingJob({ owner: "ada", groupKey: "g", at: secondsAfter(noon, 1) });
    const tagged = await jobs.aPendingJob({ tags: ["a", "b"], dedupKey: "d", at: secondsAfter(noon, 2) });
    const letter = await jobs.aPendingJob({
      pipeline: "letters",
      payload: { to: { name: "Grace" }, copies: 2 },
      at: secondsAfter(noon, 3),
    });
    const filtered = (filter: object) => idsOf({ p_filter: filter });

    expect(await filtered({ pipeline: "letters" })).toEqual([letter]);
    expect(await filtered({ pipeline: "orders", stage: "write" })).toEqual([moved.id]);
    expect(await filtered({ stage: "send" })).toEqual([letter]);
    expect(await filtered({ statuses: ["failed"] })).toEqual([failed.id]);
    expect(await filtered({ statuses: ["completed"] })).toEqual([]);
    expect(await filtered({ statuses: ["failed", "pending"], pipeline: "orders" })).toEqual([
      tagged,
      mine,
      moved.id,
      failed.id,
    ]);
    expect(await filtered({ owner: "ada" })).toEqual([mine, failed.id]);
    expect(await filtered({ owner: "ada", statuses: ["pending"] })).toEqual([mine]);
    expect(await filtered({ owner: "bob" })).toEqual([]);
    expect(await filtered({ groupKey: "g" })).toEqual([mine]);
    expect(await filtered({ dedupKey: "d" })).toEqual([tagged]);
    expect(await filtered({ tag: "b" })).toEqual([tagged]);
    expect(await filtered({ workerId: worker })).toEqual([failed.id]);
    expect(await filtered({ ids: [failed.id, letter, worker] })).toEqual([letter, failed.id]);
    expect(await filtered({ addedAfter: secondsAfter(noon, 2) })).toEqual([letter, tagged]);
    expect(await filtered({ addedBefore: secondsAfter(noon, 2), owner: "ada" })).toEqual([mine, failed.id]);
    expect(await filtered({ pipeline: "unknown" })).toEqual([]);
    expect(await search({ payload: { to: { name: "Grace" } } })).toEqual([letter]);
    expect(await search({ payload: { copies: "2" } })).toEqual([]);
  });

  test("by batch has its live and its finished jobs", async () => {
    const batch = "0190a000-0000-7000-8000-0000000000ba";
    await db.call("open_batch", { p_id: batch, p_now: noon });
    const items = [0, 1].map(() => ({ pipeline: "letters", batchId: batch }));
    const added = await db.call<{ id: string }>("add_jobs", { p_jobs: items, p_now: noon });
    await jobs.aPendingJob({ pipeline: "letters", at: secondsAfter(noon, 1) });
    await db.value("cancel_job", { p_id: added[0]?.id, p_now: noon });
    expect((await idsOf({ p_filter: { batchId: batch } })).sort()).toEqual(added.map(({ id }) => id).sort());
  });

  test("takes values as they are, quotes, backslashes and percent signs included", async () => {
    const odd = `a' or true -- \\ %s $1 "lockstep.jobs j "`;
    const id = await jobs.aPendingJob({ owner: odd, tags: [odd], groupKey: odd, payload: { [odd]: odd } });
    const failed = await jobs.aFailedJob({ by: worker, owner: odd, at: noon, priority: 1 });
    await jobs.aPendingJob({ owner: "ada" });
    expect((await idsOf({ p_filter: { owner: odd } })).sort()).toEqual([id, failed.id].sort());
    expect(await idsOf({ p_filter: { tag: odd, groupKey: odd } })).toEqual([id]);
    expect(await search({ payload: { [odd]: odd } })).toEqual([id]);
  });
});

describe("a search", () => {
  test("shows the first 200 characters of each payload", async () => {
    await jobs.aPendingJob({ payload: { text: "x".repeat(1_000) } });
    const [row] = await db.call<{ payload_preview: string }>("search_jobs");
    expect(row?.payload_preview).toHaveLength(200);
    expect(row?.payload_preview).toMatch(/^\{"text": "x+$/);
    const [without] = await db.call<{ payload_preview: string }>("search_jobs", { p_preview: false });
    expect(without?.payload_preview).toBeNull();
  });
});

describe("an order", () => {
  test("of failed and cancelled jobs can be that of their ends", async () => {
    const first = await jobs.aFailedJob({ by: worker, at: noon });
    const second = await jobs.aPendingJob({ at: secondsAfter(noon, 1), priority: 20 });
    const third = await jobs.aFailedJob({ by: worker, at: secondsAfter(noon, 2) });
    await db.value("cancel_job", { p_id: second, p_now: secondsAfter(noon, 3) });
    const inOrder = [second, third.id, first.id];
    expect(await idsOf({ p_filter: { statuses: ["failed", "cancelled"] }, p_sort: "-finishedAt" })).toEqual(
      inOrder,
    );
    expect(await idsOf({ p_filter: { statuses: ["failed"] }, p_sort: "-finishedAt" })).toEqual([
      third.id,
      first.id,
    ]);
    expect(await paged({ p_filter: { statuses: ["failed", "cancelled"] }, p_sort: "-finishedAt" })).toEqual(
      inOrder,
    );
  });

  test("of waiting jobs can be that of their times; those that wait for a batch come last", async () => {
    const late = await jobs.aPendingJob({ scheduledFor: secondsAfter(noon, 200) });
    const early = await jobs.aPendingJob({ scheduledFor: secondsAfter(noon, 100) });
    const twins = [
      await jobs.aPendingJob({ scheduledFor: secondsAfter(noon, 150), pipeline: "letters" }),
      await jobs.aPendingJob({ scheduledFor: secondsAfter(noon, 150) }),
      await jobs.aPendingJob({ scheduledFor: secondsAfter(noon, 150) }),
    ].sort();
    const parent = await jobs.aClaimedJob({ by: worker });
    await db.call("fan_out_job", {
      p_id: parent.id,
      p_claim_token: parent.claim_token,
      p_children: [{ pipeline: "letters" }],
      p_now: noon,
    });
    const asked = { p_filter: { statuses: ["scheduled", "retrying"] }, p_sort: "scheduledFor" };
    expect(await idsOf(asked)).toEqual([early, ...twins, late, parent.id]);
    expect(await paged(asked)).toEqual([early, ...twins, late, parent.id]);
  });

  test("of pending jobs can be that of their claims", async () => {
    const [a, b] = [await jobs.aPendingJob(), await jobs.aPendingJob()];
    const urgent = await jobs.aPendingJob({ priority: 1, groupKey: "g" });
    const grouped = await jobs.aPendingJob({ groupKey: "g" });
    const letter = await jobs.aPendingJob({ pipeline: "letters", priority: 5 });
    const pending = { statuses: ["pending"] };
    expect(await paged({ p_filter: pending, p_sort: "claimOrder" })).toEqual([urgent, letter, a, b, grouped]);
    const ofStage = { ...pending, pipeline: "orders", stage: "read" };
    expect(await idsOf({ p_filter: ofStage, p_sort: "claimOrder" })).toEqual([urgent, a, b, grouped]);
  });

  test("of processing jobs can be that of their claims' times", async () => {
    const first = await jobs.aClaimedJob({ by: worker, at: noon });
    const second = await jobs.aClaimedJob({ by: worker, at: secondsAfter(noon, 1) });
    expect(await paged({ p_filter: { statuses: ["processing"] }, p_sort: "claimedAt" })).toEqual([
      first.id,
      second.id,
    ]);
  });

  test.each([
    ["-finishedAt", ["completed"]],
    ["-finishedAt", undefined],
    ["scheduledFor", ["pending"]],
    ["claimOrder", ["pending", "processing"]],
    ["claimedAt", undefined],
    ["priority", ["pending"]],
  ])("by %s of %j is refused with a sentence", async (sort, statuses) => {
    await expect(list({ p_filter: statuses ? { statuses } : {}, p_sort: sort })).rejects.toMatchObject({
      code: "LS001",
      message: expect.stringContaining(`cannot be sorted by "${sort}"`),
      hint: expect.stringContaining("-id"),
    });
  });
});

describe("a list in pages", () => {
  test("has each job once, in both directions", async () => {
    const added = await sevenJobs();
    expect(await paged({})).toEqual(added.toReversed());
    expect(await paged({ p_filter: { pipeline: "orders" } })).toEqual(added.toReversed());
  });

  test("goes on from a job that is gone", async () => {
    const added = await sevenJobs();
    const [, , third] = await list({ p_limit: 3 });
    await db.query("delete from lockstep.jobs where id = $1", [third?.id]);
    await db.query("delete from lockstep.finished_jobs where id = $1", [third?.id]);
    expect(await idsOf({ p_after: third?.place, p_limit: 2 })).toEqual([added[3], added[2]]);
  });

  test("looks at no more rows than it may, and says where to go on", async () => {
    const added = await sevenJobs();
    const rare = await jobs.aPendingJob({ at: secondsAfter(noon, -5), tags: ["rare"] });
    const seen: (string | null)[] = [];
    let after: object | undefined;
    for (let calls = 0; calls < 20; calls++) {
      const page = await list({ p_filter: { tag: "rare" }, p_look_at: 6, p_after: after });
      seen.push(...page.map(({ id }) => id));
      after = page.at(-1)?.place;
      if (page.at(-1)?.id !== null) break;
    }
    expect(seen.filter((id) => id !== null)).toEqual([rare]);
    // Two pipelines and the live jobs: two rows of each in a look.
    expect(seen.length).toBeGreaterThan(2);
    expect(seen.length).toBeLessThanOrEqual(added.length + 1);
  });
});

describe("a list is refused", () => {
  test.each([[0], [202], [-1], [null]])("with a limit of %s", async (limit) => {
    await expect(list({ p_limit: limit })).rejects.toMatchObject({ code: "LS001" });
  });

  test.each([[0], [null], [1_000_001]])("with %s rows to look at", async (rows) => {
    await expect(list({ p_look_at: rows })).rejects.toMatchObject({ code: "LS001" });
    await expect(db.call("count_jobs", { p_look_at: rows })).rejects.toMatchObject({ code: "LS001" });
    await expect(db.call("list_errors", { p_look_at: rows })).rejects.toMatchObject({ code: "LS001" });
  });

  test("for a stage that there is not", async () => {
    const stage = (filter: object) => list({ p_filter: filter });
    await expect(stage({ pipeline: "orders", stage: "send" })).rejects.toMatchObject({ code: "LS003" });
    await expect(stage({ stage: "sned" })).rejects.toMatchObject({ code: "LS003" });
  });

  test.each([
    [{ statuses: ["stuck"] }, "22P02"],
    [{ status: "failed" }, "LS001"],
    [{ statuses: "failed" }, "LS001"],
    [{ workerId: "7" }, "22P02"],
    [{ payload: { a: 1 } }, "LS001"],
    [[], "LS001"],
  ])("for the filter %j", async (filter, code) => {
    await expect(list({ p_filter: filter })).rejects.toMatchObject({ code });
  });

  test.each([
    [{}],
    [{ key: "0" }],
    [{ key: "9".repeat(19), id: "x" }],
    [{ key: "99999999999999999999", id: "0190a000-0000-7000-8000-000000000001" }],
    ["x"],
  ])("for the place %j", async (place) => {
    await expect(list({ p_after: place })).rejects.toMatchObject({ code: "LS001" });
  });
});

async function sevenJobs(): Promise<string[]> {
  const added: string[] = [];
  for (let count = 0; count < 7; count++) {
    const at = secondsAfter(noon, count);
    const isFailed = count % 2 === 1;
    added.push(
      isFailed
        ? (await jobs.aFailedJob({ by: worker, at, priority: 1 })).id
        : await jobs.aPendingJob({ at, priority: 20 }),
    );
  }
  return added;
}

/** All pages of two, read forwards and then backwards: both must tell the same. */
async function paged(args: object): Promise<string[]> {
  const pages: Listed[][] = [];
  for (;;) {
    const page = await list({ ...args, p_limit: 2, p_after: pages.at(-1)?.at(-1)?.place });
    if (page.length === 0) break;
    pages.push(page);
  }
  const back: Listed[] = [...(pages.at(-1) ?? [])];
  for (let [first] = back; first !== undefined; ) {
    const page = await list({ ...args, p_limit: 2, p_after: first.place, p_backwards: true });
    back.unshift(...page);
    first = page[0];
  }
  expect(back).toEqual(pages.flat());
  return pages.flat().map(({ id }) => id);
}
