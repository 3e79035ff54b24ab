import { randomUUID } from "node:crypto";
import { JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
const later = secondsAfter(noon, 10);
let worker: string;

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read", "write"]);
  worker = await jobs.aWorker({ leaseSeconds: 600 });
});

const start = (action: string, args: object) =>
  db.value<string>("start_bulk_action", { p_action: action, p_user: "ada", p_now: later, ...args });
const step = (id: string, batch = 2) =>
  db.value<string>("step_bulk_action", { p_id: id, p_batch: batch, p_now: later });
const get = async (id: string) => (await db.call("get_bulk_action", { p_id: id }))[0];

/** The oldest by its id first. */
async function pendingJobs(count: number, options: object = {}): Promise<string[]> {
  const ids: string[] = [];
  for (let number = 0; number < count; number += 1) ids.push(await jobs.aPendingJob(options));
  return ids.sort();
}

async function failedJobs(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let number = 0; number < count; number += 1) ids.push((await jobs.aFailedJob({ by: worker })).id);
  return ids;
}

const statusOf = async (id: string) => (await jobs.read(id)).status;

describe("a cancel over a filter", () => {
  test("is done to all that are meant, in steps, and to none that were added later", async () => {
    await jobs.aPipeline("letters", ["send"]);
    const other = await jobs.aPendingJob({ pipeline: "letters" });
    const held = await jobs.aClaimedJob({ by: worker });
    const ids = await pendingJobs(3);
    // An id that a caller chose tells nothing of the time.
    ids.push(await jobs.aPendingJob({ id: "fedcba98-0000-4000-8000-000000000000" }));
    const id = await start("cancel", { p_filter: { pipeline: "orders" } });
    const late = await jobs.aPendingJob({ at: later });
    // Older by its id than the rest, as one that another machine's clock has drawn.
    const lateByItsId = await jobs.aPendingJob({ at: later, id: "01000000-0000-7000-8000-000000000000" });

    expect(await step(id)).toBe("running");
    expect(await get(id)).toMatchObject({ status: "running", matched: "5", is_matched_exact: true });
    expect(await step(id)).toBe("running");
    expect(await step(id)).toBe("running");
    expect(await step(id)).toBe("done");
    expect(await step(id)).toBe("done");

    expect(await get(id)).toMatchObject({
      action: "cancel",
      asked_by: "ada",
      status: "done",
      done: 5,
      skipped: {},
      failed: 0,
      finished_at: later,
    });
    for (const one of ids) expect(await statusOf(one)).toBe("cancelled");
    expect(await jobs.read(held.id)).toMatchObject({ status: "processing", cancel_requested_at: later });
    for (const one of [other, late, lateByItsId]) expect(await statusOf(one)).toBe("pending");
    expect(await db.call("verify", { p_now: later })).toEqual([]);
  });

  test("is done to all that are meant, also where the count and a look stop before the first of them", async () => {
    const add = (count: number, tags: string[], at: Date) =>
      db.query(
        `select lockstep.add_jobs(jsonb_agg(jsonb_build_object('pipeline', 'orders', 'payload', n, 'tags', $2::jsonb)), p_now => $3)
         from generate_series(1, $1::int) n`,
        [count, JSON.stringify(tags), at],
      );
    await add(3, ["x"], noon);
    await add(20_500, [], secondsAfter(noon, 1));
    const id = await start("cancel", { p_filter: { tag: "x" } });
    expect(await get(id)).toMatchObject({ matched: "0", is_matched_exact: false, looked_to: null });
    expect(await step(id)).toBe("running");
    const { looked_to, ...bulk } = (await get(id)) as { looked_to: Date };
    expect(bulk).toMatchObject({ matched: "0", is_matched_exact: false, done: 0 });
    expect(looked_to.getTime()).toBe(secondsAfter(noon, 1).getTime());
    let steps = 0;
    while ((await step(id)) === "running" && steps < 10) steps += 1;
    expect(await get(id)).toMatchObject({
      status: "done",
      matched: "3",
      is_matched_exact: true,
      done: 3,
      looked_to: null,
    });
  });

  test("ends at once where nothing is meant", async () => {
    const id = await start("cancel", { p_filter: { tag: "none" } });
    expect(await step(id)).toBe("done");
    expect(await get(id)).toMatchObject({ matched: "0", done: 0 });
  });
});

describe("a retry over a filter", () => {
  test("takes the failed jobs alone, each once, also when it fails again meanwhile", async () => {
    const [first, ...more] = await failedJobs(3);
    const cancelled = await jobs.aPendingJob();
    await db.value("cancel_job", { p_id: cancelled, p_now: noon });
    const id = await start("retry", { p_filter: { pipeline: "orders" } });
    let steps = 0;
    while ((await step(id, 1)) === "running" && steps < 20) {
      steps += 1;
      const [claimed] = await jobs.claimAs(worker, { at: later });
      await db.value("fail_job", {
        p_id: claimed?.id,
        p_claim_token: claimed?.claim_token,
        p_error: { message: "again" },
        p_retry: false,
        p_now: later,
      });
    }
    expect(steps).toBe(3);
    expect(await get(id)).toMatchObject({ status: "done", done: 3, skipped: {}, failed: 0 });
    for (const one of [first, ...more]) expect(await statusOf(one as string)).toBe("failed");
    expect(await statusOf(cancelled)).toBe("cancelled");
  });

  test("goes on past what is refused, and says what became of each", async () => {
    await jobs.aPipeline("letters", ["send"]);
    const { id: letter } = await jobs.aFailedJob({ by: worker, pipeline: "letters", stage: "letters/send" });
    const { id: twin } = await jobs.aFailedJob({ by: worker, dedupKey: "k" });
    const fine = await failedJobs(2);
    await jobs.aPendingJob({ dedupKey: "k" });
    const id = await start("retry", { p_filter: { statuses: ["failed"] }, p_from_stage: "read" });
    expect(await step(id, 10)).toBe("done");
    expect(await get(id)).toMatchObject({
      done: 2,
      skipped: { conflict: 1 },
      failed: 1,
      failures: [{ jobId: letter, code: "LS003", message: expect.stringContaining('"read"') }],
    });
    for (const one of fine) expect(await statusOf(one)).toBe("pending");
    for (const one of [letter, twin]) expect(await statusOf(one)).toBe("failed");
  });

  test("keeps samples of twenty failures", async () => {
    await failedJobs(22);
    const id = await start("retry", { p_filter: { pipeline: "orders" }, p_from_stage: "nowhere" });
    expect(await step(id, 100)).toBe("done");
    const { failed, failures } = (await get(id)) as { failed: number; failures: object[] };
    expect([failed, failures.length]).toEqual([22, 20]);
  });
});

describe("jobs that are named", () => {
  test("are taken each once, whether they are there or not", async () => {
    const [one, two] = await pendingJobs(3);
    const { id: failed } = await jobs.aFailedJob({ by: await claimAll() });
    const id = await start("cancel", { p_ids: [one, two, one, failed, randomUUID()] });
    expect(await get(id)).toMatchObject({ ids: 4, matched: "4" });
    expect(await step(id, 3)).toBe("running");
    expect(await step(id, 3)).toBe("done");
    expect(await get(id)).toMatchObject({ done: 2, skipped: { already_finished: 1, not_found: 1 } });
  });

  /** Takes what is pending out of the way of the next claim. */
  async function claimAll(): Promise<string> {
    await jobs.claimAs(worker, { batchSize: 10 });
    return worker;
  }

  test("are bound to a filter where there is one, as to their owner", async () => {
    const [hers] = await pendingJobs(1, { owner: "ada" });
    const [his] = await pendingJobs(1, { owner: "bob" });
    const id = await start("cancel", { p_ids: [hers, his], p_filter: { owner: "ada" } });
    expect(await step(id)).toBe("done");
    expect(await get(id)).toMatchObject({ done: 1, skipped: { not_found: 1 } });
    expect(await statusOf(his as string)).toBe("pending");
  });
});

describe("a step", () => {
  test("does not wait for another one of the same action", async () => {
    await pendingJobs(3);
    const id = await start("cancel", { p_filter: { pipeline: "orders" } });
    const other = await db.connect();
    await other.query("begin");
    await other.query("select lockstep.step_bulk_action($1, 2)", [id]);
    expect(await step(id)).toBe("busy");
    await other.query("rollback");
    expect(await get(id)).toMatchObject({ done: 0 });
    expect(await step(id, 10)).toBe("done");
    expect(await get(id)).toMatchObject({ done: 3 });
  });

  test.each(["a filter", "ids"])(
    "leaves out a job of %s that a long transaction holds, and lets the others go before it waits",
    async (by) => {
      const ids = await pendingJobs(4);
      const [oldest, held, ...newer] = ids;
      const id = await start("cancel", by === "ids" ? { p_ids: ids } : { p_filter: { pipeline: "orders" } });
      const holder = await db.connect();
      onTestFinished(() => void holder.query("rollback"));
      await holder.query("begin");
      await holder.query("select from lockstep.jobs where id = $1 for update", [held]);
      expect(await step(id, 10)).toBe("running");
      expect(await get(id)).toMatchObject({ done: 2, failed: 0 });
      for (const one of newer) expect(await statusOf(one)).toBe("cancelled");
      expect(await step(id, 10)).toBe("done");
      expect(await get(id)).toMatchObject({ done: 3, failed: 1, failures: [{ jobId: held, code: "55P03" }] });
      expect(await statusOf(oldest as string)).toBe("cancelled");
    },
  );

  test("ends with an abort, and what was done stays", async () => {
    const [oldest] = await pendingJobs(3);
    const id = await start("cancel", { p_filter: { pipeline: "orders" } });
    await step(id);
    expect(await db.value("abort_bulk_action", { p_id: id, p_now: later })).toBe("aborted");
    expect(await db.value("abort_bulk_action", { p_id: id, p_now: later })).toBe("already_finished");
    expect(await db.value("abort_bulk_action", { p_id: randomUUID() })).toBe("not_found");
    expect(await step(id)).toBe("aborted");
    expect(await step(randomUUID())).toBe("not_found");
    expect(await get(id)).toMatchObject({ status: "aborted", done: 2, finished_at: later });
    expect(await statusOf(oldest as string)).toBe("pending");
  });
});

test("bulk actions are listed newest first, and those that run oldest first", async () => {
  const at = (seconds: number) => ({ p_filter: { pipeline: "orders" }, p_now: secondsAfter(noon, seconds) });
  const ids = [await start("cancel", at(1)), await start("retry", at(2)), await start("cancel", at(3))];
  await step(ids[1] as string);
  const list = async (args: object = {}) =>
    (await db.call<{ id: string }>("list_bulk_actions", { ...args })).map(({ id }) => id);
  expect(await list()).toEqual([ids[2], ids[1], ids[0]]);
  expect(await list({ p_limit: 1, p_before: ids[2] })).toEqual([ids[1]]);
  expect(await list({ p_running: true })).toEqual([ids[0], ids[2]]);
  const clean = (days: number) =>
    db.value("delete_old_actions", { p_keep: `${days} days`, p_now: secondsAfter(noon, 86_400 * 2) });
  expect(await clean(3)).toBe(0);
  expect(await clean(1)).toBe(1);
  expect(await list()).toEqual([ids[2], ids[0]]);
});

test("a preview counts what would be meant, and begins nothing", async () => {
  await failedJobs(1);
  await pendingJobs(2);
  const preview = (action: string, args: object) =>
    db.call("preview_bulk_action", { p_action: action, ...args });
  const orders = { p_filter: { pipeline: "orders" } };
  expect(await preview("retry", orders)).toEqual([{ jobs: "1", exact: true, capped: false }]);
  expect(await preview("cancel", orders)).toEqual([{ jobs: "2", exact: true, capped: false }]);
  expect(await preview("cancel", { p_ids: [randomUUID()] })).toMatchObject([{ jobs: "1" }]);
  expect(await db.call("list_bulk_actions")).toEqual([]);
});

test.each([
  ["an unknown action", { p_action: "delete", p_filter: { pipeline: "orders" } }],
  ["no filter at all", { p_action: "cancel" }],
  ["an unknown name in the filter", { p_action: "cancel", p_filter: { pipe: "orders" } }],
  ["a stage to cancel from", { p_action: "cancel", p_filter: { pipeline: "o" }, p_from_stage: "read" }],
  ["no ids", { p_action: "cancel", p_ids: [] }],
  ["ids twice", { p_action: "cancel", p_ids: [randomUUID()], p_filter: { ids: [] } }],
])("%s is refused", async (_case, args) => {
  await expect(db.value("start_bulk_action", args)).rejects.toMatchObject({ code: "LS001" });
  expect(await db.call("list_bulk_actions")).toEqual([]);
});
