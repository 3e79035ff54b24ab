import { randomUUID } from "node:crypto";
import {
  type ClaimedJob,
  JobFactory,
  noon,
  secondsAfter,
  testDatabase,
  untilBlocked,
} from "@lockstep/test-support";
import { beforeEach, describe, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
let worker: string;

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("book", ["split", "bind"]);
  await jobs.aPipeline("page", [{ name: "print", maxAttempts: 1 }]);
  worker = await jobs.aWorker({ serves: ["book/split", "book/bind", "page/print"] });
});

const pages = (count: number) =>
  Array.from({ length: count }, (_, number) => ({ pipeline: "page", payload: { number } }));

const aBook = (more: object = {}): Promise<ClaimedJob> =>
  jobs.aClaimedJob({ pipeline: "book", by: worker, stage: "book/split", ...more });

function fanOut(book: ClaimedJob, children: unknown, more: object = {}): Promise<string> {
  return db.value<string>("fan_out_job", {
    p_id: book.id,
    p_claim_token: book.claim_token,
    p_children: children,
    p_now: noon,
    ...more,
  });
}

const claimPages = (count: number) => jobs.claimAs(worker, { stage: "page/print", batchSize: count });
const complete = ({ id, claim_token }: ClaimedJob, output?: unknown) =>
  db.value("complete_job", { p_id: id, p_claim_token: claim_token, p_output: output, p_now: noon });
const fail = ({ id, claim_token }: ClaimedJob, message: string) =>
  db.value("fail_job", { p_id: id, p_claim_token: claim_token, p_error: { message }, p_now: noon });
const childrenOf = (id: string, more: object = {}) =>
  db.call<{ id: string; result: unknown }>("children_of", { p_job_id: id, ...more });
const count = async (status: string) =>
  (await db.call("list_jobs", { p_filter: { pipeline: "page", statuses: [status] } })).length;

/** A book that waits for pages, all of them claimed, in the order they were added. */
async function aWaitingBook(children: number, onFailure = "fail") {
  const book = await aBook();
  await fanOut(book, pages(children), { p_on_failure: onFailure });
  const claimed = (await claimPages(children)) as (ClaimedJob & { payload: { number: number } })[];
  return { book, claimed: claimed.sort((one, other) => one.payload.number - other.payload.number) };
}

describe("a fan-out", () => {
  test("ends its stage with children, and the next stage waits for all of them and reads them in order", async () => {
    const book = await aBook({ owner: "ada", priority: 4 });
    expect(await fanOut(book, pages(3), { p_output: { title: "T" } })).toBe("applied");
    expect(await jobs.read(book.id)).toMatchObject({
      stage: "bind",
      status: "scheduled",
      scheduled_for: null,
      outputs: { split: { title: "T" } },
    });
    expect(await db.call("explain_job", { p_id: book.id, p_now: noon })).toMatchObject([
      { reason: "waits_for_children", explanation: /It waits for the children .*: 3 of 3 left, 0 completed/ },
    ]);
    const children = await claimPages(3);
    expect(await jobs.read(children[0]?.id ?? "")).toMatchObject({ owner: "ada", priority: 4 });
    for (const child of children.slice(1)) await complete(child, child.payload);
    expect(await jobs.claimAs(worker, { stage: "book/bind" })).toEqual([]);
    await complete(children[0] as ClaimedJob, children[0]?.payload);
    expect(await jobs.claimAs(worker, { stage: "book/bind" })).toMatchObject([{ id: book.id, attempt: 1 }]);
    const read = await childrenOf(book.id);
    expect(read.map(({ result }) => result)).toEqual([{ number: 0 }, { number: 1 }, { number: 2 }]);
    expect(await childrenOf(book.id, { p_after: read[0]?.id, p_limit: 1 })).toEqual([read[1]]);
    expect(await db.call("verify", { p_now: noon })).toEqual([]);
  });

  test("sent again after a lost reply adds no child twice, and a lost claim adds none", async () => {
    const book = await aBook();
    await fanOut(book, pages(2));
    expect(await fanOut(book, pages(2))).toBe("already_applied");
    expect(await fanOut({ ...book, claim_token: randomUUID() }, pages(2))).toBe("lease_lost");
    expect(await count("pending")).toBe(2);
  });

  test("of no children goes on at once", async () => {
    const book = await aBook();
    expect(await fanOut(book, [])).toBe("applied");
    expect(await jobs.read(book.id)).toMatchObject({ stage: "bind", status: "pending" });
    expect(await childrenOf(book.id)).toEqual([]);
  });

  test("in several calls of one transaction keeps the order of its children", async () => {
    const book = await aBook();
    const all = pages(25);
    await db.query("begin");
    await fanOut(book, all.slice(0, 10), { p_more: true });
    await fanOut(book, all.slice(10, 20), { p_more: true });
    await fanOut(book, all.slice(20));
    await db.query("commit");
    expect(await db.query("select total, closed_at is not null as closed from lockstep.batches")).toEqual([
      { total: 25, closed: true },
    ]);
    for (const child of await claimPages(25)) await complete(child, child.payload);
    const read = await childrenOf(book.id);
    expect(read.map(({ result }) => result)).toEqual(all.map(({ payload }) => payload));
  });

  test("from the last stage is refused with a sentence, as is a policy or a child that cannot be", async () => {
    const [page] = [await jobs.aClaimedJob({ pipeline: "page", by: worker, stage: "page/print" })];
    await expect(fanOut(page, pages(1))).rejects.toMatchObject({ code: "LS003", message: /the last of/ });
    const book = await aBook();
    await expect(fanOut(book, {})).rejects.toMatchObject({ code: "LS001", message: /not object/ });
    await expect(fanOut(book, pages(1), { p_on_failure: "hope" })).rejects.toMatchObject({ code: "LS001" });
    const twin = [{ pipeline: "page", dedupKey: "a" }];
    await expect(fanOut(book, twin)).rejects.toMatchObject({ message: /takes no "dedupKey"/ });
    await expect(fanOut(book, [{ pipeline: "pgae" }])).rejects.toMatchObject({ code: "LS002" });
    expect(await jobs.read(book.id)).toMatchObject({ stage: "split", status: "processing" });
    expect(await db.query("select from lockstep.batches")).toEqual([]);
  });

  test("of a job that is to be cancelled adds nothing", async () => {
    const book = await aBook();
    await db.value("cancel_job", { p_id: book.id, p_now: noon });
    expect(await fanOut(book, pages(2))).toBe("applied");
    expect(await jobs.read(book.id)).toMatchObject({ status: "cancelled" });
    expect(await count("pending")).toBe(0);
  });

  test("is found again by a parent retried after it, and made anew by one retried from it", async () => {
    const { book, claimed } = await aWaitingBook(1);
    for (const child of claimed) await complete(child);
    const [binding] = await jobs.claimAs(worker, { stage: "book/bind" });
    await db.value("fail_job", {
      p_id: book.id,
      p_claim_token: binding?.claim_token,
      p_error: { message: "no glue" },
      p_retry: false,
      p_now: noon,
    });
    // From where it failed, it finds its children again; from the start, it has new ones.
    await db.call("retry_job", { p_id: book.id, p_now: noon });
    expect(await childrenOf(book.id)).toHaveLength(1);
    await db.value("cancel_job", { p_id: book.id, p_now: noon });
    await db.call("retry_job", { p_id: book.id, p_from_stage: "split", p_now: noon });
    expect(await childrenOf(book.id)).toEqual([]);
    const [again] = await jobs.claimAs(worker, { stage: "book/split" });
    await fanOut(again as ClaimedJob, pages(2));
    expect(await count("pending")).toBe(2);
    expect(await db.call("verify", { p_now: noon })).toEqual([]);
  });
});

describe("with the policy fail", () => {
  test("the first child that fails for good fails the parent and names itself; the others are cancelled", async () => {
    const book = await aBook();
    await fanOut(book, pages(3));
    const [failing, running] = (await claimPages(2)) as [ClaimedJob, ClaimedJob];
    await fail(failing, "no ink");
    const parent = await jobs.read(book.id);
    expect(parent).toMatchObject({
      status: "failed",
      stage: "split",
      error: {
        name: "ChildFailedError",
        code: "child_failed",
        message: `Child ${failing.id} ended as failed in stage page/print: no ink`,
      },
    });
    expect(await count("cancelled")).toBe(1);
    expect(await jobs.read(running.id)).toMatchObject({ status: "processing" });
    expect(await db.call("cancel_requests", { p_worker_id: worker })).toEqual([
      { cancel_requests: running.id },
    ]);
    await db.value("release_job", { p_id: running.id, p_claim_token: running.claim_token, p_now: noon });
    expect(await db.query("select total, failed, cancelled, cancels_jobs from lockstep.batches")).toEqual([
      { total: 3, failed: 1, cancelled: 2, cancels_jobs: false },
    ]);
    expect(await db.call("verify", { p_now: noon })).toEqual([]);
  });

  test("a child that a person cancels fails the parent too: nothing waits silently", async () => {
    const { book, claimed } = await aWaitingBook(1);
    const [child] = claimed as [ClaimedJob];
    await db.value("release_job", { p_id: child.id, p_claim_token: child.claim_token, p_now: noon });
    await db.value("cancel_job", { p_id: child.id, p_now: noon });
    expect(await jobs.read(book.id)).toMatchObject({
      status: "failed",
      error: { message: `Child ${child.id} ended as cancelled in stage page/print.` },
    });
  });

  test("the realtime log tells of the child before its parent, and of the cancel of the others", async () => {
    const book = await aBook({ owner: "ada" });
    await fanOut(book, pages(2));
    const [failing] = (await claimPages(2)) as [ClaimedJob];
    await fail(failing, "no ink");
    const kinds = await db.query<{ kind: string; is_book: boolean }>(
      "select kind, job_id = $1 as is_book from lockstep.events order by id",
      [book.id],
    );
    expect(kinds.slice(-4).map(({ kind, is_book }) => [kind, is_book ? "book" : "page"])).toEqual([
      ["job.claimed", "page"],
      ["job.failed", "page"],
      ["job.failed", "book"],
      ["job.cancel_requested", "page"],
    ]);
  });

  test("a parent retried by hand begins where it fanned out, with new children", async () => {
    const { book, claimed } = await aWaitingBook(2);
    await fail(claimed[0] as ClaimedJob, "no ink");
    await db.call("retry_job", { p_id: book.id, p_now: noon });
    const [again] = await jobs.claimAs(worker, { stage: "book/split" });
    expect(again).toMatchObject({ id: book.id, attempt: 1 });
    expect(await fanOut(again as ClaimedJob, pages(2))).toBe("applied");
    expect(await count("pending")).toBe(2);
    expect(await db.call("verify", { p_now: noon })).toEqual([]);
  });
});

test("with the policy continue the next stage sees failures as such", async () => {
  const { book, claimed } = await aWaitingBook(2, "continue");
  await fail(claimed[0] as ClaimedJob, "no ink");
  expect(await jobs.read(book.id)).toMatchObject({ status: "scheduled" });
  await complete(claimed[1] as ClaimedJob, "printed");
  expect(await jobs.read(book.id)).toMatchObject({ status: "pending", stage: "bind" });
  expect(await childrenOf(book.id)).toMatchObject([
    { status: "failed", result: null, error: { message: "no ink" } },
    { status: "completed", result: "printed", error: null },
  ]);
});

test("with the policy ignore the next stage sees only what completed, page by page", async () => {
  const { book, claimed } = await aWaitingBook(5, "ignore");
  for (const [index, child] of claimed.entries()) {
    if (index % 2 === 0) await fail(child, "no ink");
    else await complete(child, index);
  }
  const first = await childrenOf(book.id, { p_limit: 1 });
  expect(first).toMatchObject([{ result: 1 }]);
  expect(await childrenOf(book.id, { p_after: first[0]?.id, p_limit: 1 })).toMatchObject([{ result: 3 }]);
});

describe("cancelling a parent that waits", () => {
  test("cancels its children, and theirs", async () => {
    await jobs.aPipeline("shelf", ["fill", "show"]);
    const shelf = await jobs.aClaimedJob({ pipeline: "shelf", by: worker, stage: "shelf/fill" });
    await fanOut(shelf, [{ pipeline: "book" }, { pipeline: "book" }]);
    const [book] = await jobs.claimAs(worker, { stage: "book/split" });
    await fanOut(book as ClaimedJob, pages(2));
    expect(await db.value("cancel_job", { p_id: shelf.id, p_now: noon })).toBe("cancelled");
    const left = await db.query("select status, count(*)::integer from lockstep.finished_jobs group by 1");
    expect(left).toEqual([{ status: "cancelled", count: 5 }]);
    expect(await db.query("select from lockstep.batches where finished_at is null or cancels_jobs")).toEqual(
      [],
    );
    expect(await db.call("verify", { p_now: noon })).toEqual([]);
  });

  test("leaves a child that somebody holds at that moment to the next sweep", async () => {
    const { book, claimed } = await aWaitingBook(1);
    const other = await db.connect();
    await other.query("begin");
    await other.query("select from lockstep.jobs where id = $1 for update", [claimed[0]?.id]);
    expect(await db.value("cancel_job", { p_id: book.id, p_now: noon })).toBe("cancelled");
    await other.query("rollback");
    expect(await db.call("cancel_requests", { p_worker_id: worker })).toEqual([]);
    await db.call("sweep_lost_workers", { p_now: secondsAfter(noon, 5) });
    expect(await db.call("cancel_requests", { p_worker_id: worker })).toHaveLength(1);
    expect(await db.query("select cancels_jobs from lockstep.batches")).toEqual([{ cancels_jobs: false }]);
  });
});

test("12,000 children work, and the parent's cancel reaches all of them by the next sweep", async () => {
  const book = await aBook();
  await db.query(
    `select lockstep.fan_out_job($1, $2, (
       select jsonb_agg(jsonb_build_object('pipeline', 'page', 'payload', n)) from generate_series(1, 12000) n
     ))`,
    [book.id, book.claim_token],
  );
  expect(await db.query("select total from lockstep.batches")).toEqual([{ total: 12_000 }]);
  await db.value("cancel_job", { p_id: book.id, p_now: noon });
  expect(await db.query("select cancelled, cancels_jobs from lockstep.batches")).toEqual([
    { cancelled: 10_000, cancels_jobs: true },
  ]);
  await db.call("sweep_lost_workers", { p_now: noon });
  expect(
    await db.query(
      "select cancelled, cancels_jobs, finished_at is not null as finished from lockstep.batches",
    ),
  ).toEqual([{ cancelled: 12_000, cancels_jobs: false, finished: true }]);
});

describe("a definition that comes while a fan-out waits for its job", () => {
  const approval = { name: "approval", kind: "wait", waitMs: 60_000 };
  const cases = [
    {
      ...{ title: "and adds a wait", before: ["split", "bind"], after: ["split", approval, "bind"] },
      goesOn: { stage: "approval", status: "scheduled", wait: { signal: "approval" } },
    },
    {
      ...{ title: "and drops the wait", before: ["split", approval, "bind"], after: ["split", "bind"] },
      goesOn: { stage: "bind", status: "pending" },
    },
  ];

  test.each(cases)(
    "$title, lets nothing begin before the children have ended",
    async ({ before, after, goesOn }) => {
      await jobs.aPipeline("book", before);
      const book = await aBook();
      const [holder, fanning] = [await db.connect(), await db.connect()];
      await holder.query("begin");
      await holder.query("select from lockstep.jobs where id = $1 for update", [book.id]);
      const answer = fanning.query("select lockstep.fan_out_job($1, $2, $3, p_now => $4) as answer", [
        book.id,
        book.claim_token,
        JSON.stringify(pages(1)),
        noon,
      ]);
      await untilBlocked(db);
      await jobs.aPipeline("book", after);
      await holder.query("commit");
      expect((await answer).rows).toEqual([{ answer: "applied" }]);

      expect(await jobs.read(book.id)).toMatchObject({
        status: "scheduled",
        scheduled_for: null,
        wait: null,
      });
      expect(await db.call("verify", { p_now: noon })).toEqual([]);
      const [page] = await claimPages(1);
      if (page) await complete(page, 1);
      expect(await jobs.read(book.id)).toMatchObject(goesOn);
      // The counters are right too.
      expect(await db.call("verify", { p_now: noon })).toEqual([]);
    },
  );
});
