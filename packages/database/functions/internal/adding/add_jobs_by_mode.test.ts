import { randomUUID } from "node:crypto";
import { JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, describe, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
const at = (seconds: number) => secondsAfter(noon, seconds);

interface Answer {
  id: string;
  created: boolean;
  status: string | null;
}

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read"]);
  await jobs.aPipeline("letters", ["send"]);
});

/** Adds under key "k" unless told. */
async function add(seconds: number, ...list: object[]): Promise<Answer[]> {
  const answers = await db.call<Answer>("add_jobs", {
    p_jobs: list.map((job) => ({ pipeline: "orders", dedupKey: "k", ...job })),
    p_now: at(seconds),
  });
  expect(await db.call("verify", { p_now: at(seconds) })).toEqual([]);
  return answers;
}

async function addOne(seconds: number, job: object): Promise<Answer> {
  const [answer] = await add(seconds, job);
  if (answer === undefined) throw new Error("add_jobs gave no row.");
  return answer;
}

async function completeNext(seconds: number): Promise<string> {
  const worker = await jobs.aWorker({ at: at(seconds) });
  const [claimed] = await jobs.claimAs(worker, { at: at(seconds) });
  if (claimed === undefined) throw new Error("There was nothing to claim.");
  await db.value("complete_job", {
    p_id: claimed.id,
    p_claim_token: claimed.claim_token,
    p_now: at(seconds),
  });
  return claimed.id;
}

const liveIds = async () =>
  (await db.query<{ id: string }>("select id from lockstep.jobs order by id")).map(({ id }) => id);

describe("a key with forMs", () => {
  const dedup = { forMs: 60_000 };

  test("gives the job of the first add until that time is over, live or finished", async () => {
    const { id } = await addOne(0, { dedup });
    expect(await addOne(1, { dedup })).toEqual({ id, created: false, status: "pending" });
    await completeNext(2);
    expect(await addOne(59, { dedup })).toEqual({ id, created: false, status: "completed" });
    expect(await addOne(60, { dedup })).toMatchObject({ created: true, status: "pending" });
  });

  test("gives the live job also after that time", async () => {
    const { id } = await addOne(0, { dedup });
    expect(await addOne(61, { dedup })).toEqual({ id, created: false, status: "pending" });
    await completeNext(62);
    expect(await addOne(63, { dedup })).toMatchObject({ created: true });
  });

  test("counts the time from the first add and not from those it answered", async () => {
    await addOne(0, { dedup });
    await completeNext(1);
    await addOne(59, { dedup });
    expect(await addOne(60, { dedup })).toMatchObject({ created: true });
  });

  test("gives the id without a status when the job is past its retention", async () => {
    const { id } = await addOne(0, { dedup });
    await completeNext(1);
    await db.query("delete from lockstep.finished_jobs");
    expect(await addOne(2, { dedup })).toEqual({ id, created: false, status: null });
  });

  test("is a twin of a live job without a mode, and takes the key only for a job of its own", async () => {
    const id = await jobs.aPendingJob({ dedupKey: "k" });
    expect(await addOne(1, { dedup })).toEqual({ id, created: false, status: "pending" });
    await completeNext(2);
    expect(await addOne(3, { dedup })).toMatchObject({ created: true });
  });

  test("lets a job of it that failed be retried under its id", async () => {
    const { id } = await addOne(0, { dedup });
    await db.value("cancel_job", { p_id: id, p_now: at(1) });
    expect(await addOne(2, { dedup })).toEqual({ id, created: false, status: "cancelled" });
    expect(await db.call("retry_job", { p_id: id, p_now: at(3) })).toMatchObject([{ answer: "applied" }]);
    expect(await addOne(4, { dedup })).toEqual({ id, created: false, status: "pending" });
  });
});

describe("a key with throttleMs", () => {
  const dedup = { throttleMs: 60_000 };

  test("gives the job of the last accepted add until the period is over, then a new one beside it", async () => {
    const first = await addOne(0, { dedup });
    expect(await addOne(59, { dedup })).toEqual({ ...first, created: false });
    const second = await addOne(60, { dedup });
    expect(second).toMatchObject({ created: true, status: "pending" });
    expect(await addOne(119, { dedup })).toEqual({ ...second, created: false });
    expect(await liveIds()).toEqual([first.id, second.id]);
  });

  test("gives it also when it has finished within the period", async () => {
    const { id } = await addOne(0, { dedup });
    await completeNext(1);
    expect(await addOne(2, { dedup })).toEqual({ id, created: false, status: "completed" });
  });

  test("does not meet the same key in another mode, or without one", async () => {
    const answers = await add(0, { dedup }, {}, { dedup: { debounceMs: 1_000 } });
    expect(answers.map(({ created }) => created)).toEqual([true, true, true]);
  });
});

describe("a key with debounceMs", () => {
  const dedup = { debounceMs: 10_000 };

  test("schedules its job, and each further add gives it what that brings and pushes its time", async () => {
    const { id, ...first } = await addOne(0, { dedup, payload: 1, tags: ["a"] });
    expect(first).toEqual({ created: true, status: "scheduled" });
    expect(await jobs.read(id)).toMatchObject({ scheduled_for: at(10) });
    expect(await addOne(9, { dedup, payload: 2, priority: 3 })).toEqual({
      id,
      created: false,
      status: "scheduled",
    });
    expect(await jobs.read(id)).toMatchObject({
      payload: 2,
      priority: 3,
      tags: [],
      scheduled_for: at(19),
      added_at: noon,
    });
    expect(await liveIds()).toEqual([id]);
  });

  test("is not pushed beyond atMostMs after the first add", async () => {
    const bounded = { debounceMs: 10_000, atMostMs: 25_000 };
    const { id } = await addOne(0, { dedup: bounded });
    for (const seconds of [8, 16, 24]) await addOne(seconds, { dedup: bounded, payload: seconds });
    expect(await jobs.read(id)).toMatchObject({ scheduled_for: at(25), payload: 24, status: "scheduled" });
    expect(await addOne(26, { dedup: bounded, payload: 26 })).toEqual({
      id,
      created: false,
      status: "pending",
    });
    expect(await completeNext(26)).toBe(id);
    expect(await jobs.read(id)).toMatchObject({ payload: 26 });
  });

  test("pushes a job that is due but not claimed, and keeps its place where it may wait no longer", async () => {
    const { id } = await addOne(0, { dedup });
    await db.query("select lockstep.promote_due_jobs(array(select id from lockstep.stages), p_now => $1)", [
      at(11),
    ]);
    expect(await jobs.read(id)).toMatchObject({ status: "pending" });
    const bounded = { debounceMs: 10_000, atMostMs: 10_000 };
    const place = "select position from lockstep.jobs";
    const before = await db.query(place);
    expect(await addOne(12, { dedup: bounded })).toEqual({ id, created: false, status: "pending" });
    expect(await db.query(place)).toEqual(before);
    expect(await addOne(12, { dedup })).toEqual({ id, created: false, status: "scheduled" });
    expect(await jobs.read(id)).toMatchObject({ scheduled_for: at(22) });
  });

  test("leaves a job that was claimed as it is, and makes another", async () => {
    const first = await addOne(0, { dedup, payload: 1 });
    const worker = await jobs.aWorker({ at: at(10) });
    const [claimed] = await jobs.claimAs(worker, { at: at(10) });
    expect(claimed).toMatchObject({ id: first.id, payload: 1 });
    const second = await addOne(11, { dedup, payload: 2 });
    expect(second).toMatchObject({ created: true, status: "scheduled" });
    expect(await addOne(12, { dedup, payload: 3 })).toEqual({ ...second, created: false });
    // Nor does it touch the first when that is given back.
    await db.value("release_job", { p_id: first.id, p_claim_token: claimed?.claim_token, p_now: at(13) });
    expect(await addOne(14, { dedup, payload: 4 })).toEqual({ ...second, created: false });
    expect(await jobs.read(first.id)).toMatchObject({ status: "pending", payload: 1 });
    expect(await jobs.read(second.id)).toMatchObject({ payload: 4, scheduled_for: at(24) });
  });

  test("makes another job when the one it had was given back, cancelled, or retried by hand", async () => {
    const first = await addOne(0, { dedup });
    const [claimed] = await jobs.claimAs(await jobs.aWorker({ at: at(10) }), { at: at(10) });
    await db.value("release_job", { p_id: first.id, p_claim_token: claimed?.claim_token, p_now: at(10) });
    const second = await addOne(11, { dedup });
    await db.value("cancel_job", { p_id: second.id, p_now: at(12) });
    const third = await addOne(13, { dedup });
    await db.value("cancel_job", { p_id: third.id, p_now: at(14) });
    await db.call("retry_job", { p_id: third.id, p_now: at(14) });
    const fourth = await addOne(15, { dedup });
    expect(new Set([first.id, second.id, third.id, fourth.id]).size).toBe(4);
    expect(fourth).toMatchObject({ created: true, status: "scheduled" });
  });

  test("sent again under the same ids counts once, whatever came between", async () => {
    const [first, second, third] = [randomUUID(), randomUUID(), randomUUID()];
    await addOne(0, { dedup, id: first, payload: 1 });
    await addOne(1, { dedup, id: second, payload: 2 });
    await addOne(2, { dedup, id: third, payload: 3 });
    expect(await add(5, { dedup, id: first, payload: 1 }, { dedup, id: second, payload: 2 })).toEqual([
      { id: first, created: false, status: "scheduled" },
      { id: first, created: false, status: "scheduled" },
    ]);
    expect(await jobs.read(first)).toMatchObject({ payload: 3, scheduled_for: at(12) });
    await completeNext(12);
    expect(await add(13, { dedup, id: first, payload: 1 }, { dedup, id: third, payload: 3 })).toEqual([
      { id: first, created: false, status: "completed" },
      { id: first, created: false, status: "completed" },
    ]);
    expect(await liveIds()).toEqual([]);
  });

  test("tells those who ask about moves when its job is due no more, or at once", async () => {
    const bounded = { debounceMs: 10_000, atMostMs: 10_000 };
    const { id } = await addOne(0, { dedup, owner: "ada" });
    expect(await addOne(11, { dedup: bounded, owner: "ada" })).toEqual({
      id,
      created: false,
      status: "pending",
    });
    expect(await addOne(12, { dedup, owner: "ada" })).toMatchObject({ status: "scheduled" });
  });
});

describe("among the jobs of one call", () => {
  test("the adds of one key give one job, of the last one's content where it is debounced", async () => {
    const modes = [{ forMs: 1_000 }, { throttleMs: 1_000 }, { debounceMs: 1_000 }];
    const keyed = modes.map((dedup, index) => ({ dedupKey: `k${index}`, dedup }));
    const payloads = [1, 2, 3];
    const answers = await add(
      0,
      ...payloads.flatMap((payload) => [...keyed.map((job) => ({ ...job, payload })), { dedupKey: null }]),
    );
    expect(answers.map(({ created }) => created)).toEqual([
      ...[true, true, true, true],
      ...[false, false, false, true],
      ...[false, false, false, true],
    ]);
    const ids = answers.map(({ id }) => id);
    expect(ids.slice(4, 7)).toEqual(ids.slice(0, 3));
    expect(ids.slice(8, 11)).toEqual(ids.slice(0, 3));
    const stored: unknown[] = [];
    for (const id of ids.slice(0, 3)) stored.push((await jobs.read(id)).payload);
    expect(stored).toEqual([1, 1, 3]);
  });

  test("followers of a debounced add are known when they are sent again", async () => {
    const dedup = { debounceMs: 1_000 };
    const [one, two] = [randomUUID(), randomUUID()];
    await add(0, { dedup, id: one, payload: 1 }, { dedup, id: two, payload: 2 });
    await completeNext(1);
    expect(await add(2, { dedup, id: one, payload: 1 }, { dedup, id: two, payload: 2 })).toEqual([
      { id: one, created: false, status: "completed" },
      { id: one, created: false, status: "completed" },
    ]);
  });

  test("one that cannot be added refuses them all, by its number", async () => {
    const call = add(0, { dedup: { throttleMs: 1_000 } }, { pipeline: "letters", priority: 50 });
    await expect(call).rejects.toMatchObject({
      code: "LS001",
      message: "Job 2 of 2 cannot be added: the priority is 50, but must be from 1 to 20.",
    });
    expect(await db.query("select 1 from lockstep.recent_keys")).toEqual([]);
  });
});

test.each([{ forMs: 60_000 }, { throttleMs: 60_000 }, { debounceMs: 60_000 }])(
  "a key with %j counts within one pipeline and one owner",
  async (dedup) => {
    const twice = [
      { dedup },
      { dedup, owner: "ada" },
      { dedup, owner: "bob" },
      { dedup, pipeline: "letters" },
    ];
    const first = await add(0, ...twice);
    expect(first.map(({ created }) => created)).toEqual([true, true, true, true]);
    const second = await add(1, ...twice);
    expect(second.map(({ created }) => created)).toEqual([false, false, false, false]);
    expect(second.map(({ id }) => id)).toEqual(first.map(({ id }) => id));
  },
);

test.each([{ forMs: 1_000 }, { throttleMs: 1_000 }])(
  "an add with %j that is sent again when its time is over is the same job",
  async (dedup) => {
    const id = randomUUID();
    await addOne(0, { dedup, id });
    await completeNext(0);
    const other = await addOne(2, { dedup });
    expect(other.created).toBe(true);
    expect(await addOne(3, { dedup, id })).toEqual({ id, created: false, status: "completed" });
    expect(await liveIds()).toEqual([other.id]);
  },
);

test("maxPending counts jobs that are throttled, and lets a debounced one be replaced", async () => {
  await jobs.aPipeline("orders", ["read"], { maxPending: 1 });
  await addOne(0, { dedup: { throttleMs: 1_000 } });
  await expect(add(0, { dedup: { throttleMs: 1_000 }, dedupKey: "other" })).rejects.toMatchObject({
    code: "LS005",
  });
  expect(await addOne(0, { dedup: { throttleMs: 1_000 } })).toMatchObject({ created: false });
  await addOne(0, { dedup: { debounceMs: 1_000 } });
  expect(await addOne(0, { dedup: { debounceMs: 1_000 } })).toMatchObject({ created: false });
});

test("add_job takes a mode too", async () => {
  const call = (seconds: number) =>
    db.call("add_job", {
      p_pipeline: "orders",
      p_dedup_key: "k",
      p_dedup: { throttleMs: 1_000 },
      p_now: at(seconds),
    });
  const [first] = await call(0);
  expect(first).toMatchObject({ created: true });
  expect(await call(0.5)).toEqual([{ ...first, created: false }]);
});

describe("refused with a sentence", () => {
  test.each([
    [{ forMs: 1, dedupKey: null }, /no dedup key/],
    [5, /its dedup is 5, but must be \{"forMs"\}/],
    [{}, /its dedup is \{\}, but must be/],
    [{ forMS: 5 }, /but must be \{"forMs"\}/],
    [{ forMs: 5, throttleMs: 5 }, /but must be \{"forMs"\}/],
    [{ atMostMs: 5 }, /but must be \{"forMs"\}/],
    [{ forMs: 0 }, /whole milliseconds from 1 to 31536000000/],
    [{ throttleMs: 1.5 }, /whole milliseconds/],
    [{ debounceMs: "5" }, /whole milliseconds/],
    [{ debounceMs: 31_536_000_001 }, /whole milliseconds/],
    [{ debounceMs: 5, atMostMs: 4 }, /its atMostMs is less than its debounceMs/],
    [{ debounceMs: 5, scheduledFor: at(60) }, /it has both debounceMs and scheduledFor/],
    [{ debounceMs: 5_000, startBy: at(4) }, /it must start by .*, but is not due before then/],
  ])("%j", async (given, sentence) => {
    const { dedupKey = "k", scheduledFor, startBy, ...dedup } = Object(given);
    const job = { dedupKey, scheduledFor, startBy, dedup: typeof given === "object" ? dedup : given };
    await expect(add(0, job)).rejects.toMatchObject({
      code: "LS001",
      message: expect.stringMatching(sentence),
    });
  });

  test("a job that is to start before it is due", async () => {
    await expect(add(0, { scheduledFor: at(60), startBy: at(60) })).rejects.toMatchObject({
      code: "LS001",
      message: expect.stringContaining("but is not due before then"),
    });
  });
});
