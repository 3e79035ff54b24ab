import { randomUUID } from "node:crypto";
import { ManualClock, testDatabase } from "@lockstep/test-support";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../clock.ts";
import { EngineEvents } from "../../events/engine-events.ts";
import { Database } from "../../store/connections/database.ts";
import { type FinishedResult, JobStore } from "../../store/reading/job-store.ts";
import { targetAt } from "../../test-support/target-at.ts";
import {
  InvalidJobIdError,
  JobCancelledError,
  JobFailedError,
  JobUnknownError,
  ResultTimeoutError,
  WaitingStoppedError,
} from "./result-errors.ts";
import { ResultWaiter, type ResultWaiterParts } from "./result-waiter.ts";

const db = testDatabase();

beforeEach(() => db.reset());

function waiterOn(store: ResultWaiterParts["store"]) {
  const clock = new ManualClock();
  const events = new EngineEvents();
  const part = new ResultWaiter({ store, clock, events });
  onTestFinished(() => part.stop());
  const tell = (jobId: string) => events.emit("job.cancelled", { jobId });
  return { part, clock, events, tell };
}

function realStore(): JobStore {
  const database = new Database({
    target: targetAt(db.url),
    connections: 2,
    transactionPooler: false,
    applicationName: "lockstep tests: results",
  });
  onTestFinished(() => database.close(systemClock));
  return new JobStore(database);
}

/** In the database's place where only the times of the polls matter. */
function countingStore() {
  const finished = new Map<string, FinishedResult>();
  const polls: (readonly string[])[] = [];
  let failures = 0;
  return {
    polls,
    finish: (id: string, result: unknown) =>
      finished.set(id, { id, status: "completed", result, error: null }),
    failNext: (count: number) => {
      failures = count;
    },
    store: {
      finishedResults: async (ids: readonly string[]) => {
        polls.push(ids);
        if (failures-- > 0) throw new Error("down");
        return ids.flatMap((id) => finished.get(id) ?? []);
      },
      unknownJobs: async () => [],
    },
  };
}

async function claimedJob(): Promise<{ p_id: string; p_claim_token: string }> {
  const workerId = randomUUID();
  await db.call("define_pipeline", { p_name: "p", p_stages: [{ name: "s" }] });
  await db.call("register_worker", { p_worker_id: workerId, p_name: "w", p_stages: ["p/s"] });
  await db.call("add_job", { p_pipeline: "p", p_payload: {} });
  const [claim] = await db.call<{ id: string; claim_token: string }>("claim_jobs", {
    p_worker_id: workerId,
    p_stages: ["p/s"],
    p_batch_size: 1,
  });
  return { p_id: claim?.id ?? "", p_claim_token: claim?.claim_token ?? "" };
}

const noLimit = { timeoutMs: null };

describe("waiting for a job", () => {
  test("gives its result when it completes", async () => {
    const { part, clock } = waiterOn(realStore());
    const claim = await claimedJob();
    const result = part.wait(claim.p_id, noLimit);
    await clock.whenAsleep();
    await db.call("complete_job", { ...claim, p_output: { pages: [1, 2] } });
    await clock.advance(25);
    expect(await result).toEqual({ pages: [1, 2] });
  });

  test("gives the result of one that has completed long ago", async () => {
    const { part } = waiterOn(realStore());
    const claim = await claimedJob();
    await db.call("complete_job", { ...claim, p_output: null });
    expect(await part.wait(claim.p_id.toUpperCase(), noLimit)).toBeNull();
  });

  test("rejects with its error when it has failed", async () => {
    const { part } = waiterOn(realStore());
    const claim = await claimedJob();
    const error = { name: "TypeError", message: "no such page" };
    await db.call("fail_job", { ...claim, p_error: error, p_retry: false });
    const failed = await part.wait(claim.p_id, noLimit).catch((thrown: unknown) => thrown);
    expect(failed).toBeInstanceOf(JobFailedError);
    expect(failed).toMatchObject({
      jobId: claim.p_id,
      message: `Job ${claim.p_id} failed: no such page`,
      error,
    });
  });

  test("rejects when it is cancelled", async () => {
    const { part } = waiterOn(realStore());
    await db.call("define_pipeline", { p_name: "p", p_stages: [{ name: "s" }] });
    const [job] = await db.call<{ id: string }>("add_job", { p_pipeline: "p", p_payload: {} });
    const id = job?.id ?? "";
    await db.call("cancel_job", { p_id: id });
    const cancelled = await part.wait(id, noLimit).catch((thrown: unknown) => thrown);
    expect(cancelled).toBeInstanceOf(JobCancelledError);
    expect(cancelled).toMatchObject({ jobId: id });
  });

  test("rejects when it takes too long, and then polls no more", async () => {
    const { store, polls } = countingStore();
    const { part, clock } = waiterOn(store);
    const result = part.wait(randomUUID(), { timeoutMs: 1_000 }).catch((thrown: unknown) => thrown);
    await clock.advance(1_000);
    expect(await result).toBeInstanceOf(ResultTimeoutError);
    expect(await result).toMatchObject({ timeoutMs: 1_000 });
    await clock.advance(0);
    const before = polls.length;
    await clock.advance(10_000);
    expect(polls).toHaveLength(before);
  });

  test("is refused for what is no id, without a poll that would spoil the others'", async () => {
    const { store, polls } = countingStore();
    const { part } = waiterOn(store);
    await expect(part.wait("job-1", noLimit)).rejects.toThrow(InvalidJobIdError);
    await expect(part.wait("job-1", noLimit)).rejects.toThrow('"job-1" is not a job id');
    await expect(part.wait(undefined as unknown as string, noLimit)).rejects.toThrow(
      "undefined is not a job id",
    );
    expect(polls).toEqual([]);
  });

  test("outlasts errors of the database", async () => {
    const { store, finish, failNext, polls } = countingStore();
    const { part, clock } = waiterOn(store);
    const id = randomUUID();
    finish(id, "done");
    failNext(3);
    const result = part.wait(id, { timeoutMs: 10_000 });
    await clock.advance(500);
    expect(await result).toBe("done");
    expect(polls).toHaveLength(4);
  });

  test("ends with a sentence when the engine stops, before and after", async () => {
    const { part, clock } = waiterOn(countingStore().store);
    const id = randomUUID();
    const result = part.wait(id, { timeoutMs: 10_000 }).catch((thrown: unknown) => thrown);
    await clock.advance(100);
    await part.stop();
    await part.stop();
    expect(await result).toBeInstanceOf(WaitingStoppedError);
    expect(await result).toMatchObject({
      jobId: id,
      message: expect.stringContaining("The engine has stopped"),
    });
    await expect(part.wait(id, noLimit)).rejects.toThrow(WaitingStoppedError);
  });
});

describe("waiting for a job that is not there", () => {
  /** So much time in steps, each as long as the rarest poll; the database answers between them. */
  async function pass(clock: ManualClock, ms: number, end: Promise<unknown>): Promise<void> {
    for (let left = ms; left > 0; left -= 500) {
      // When the last one has his answer, nobody sleeps any more.
      await Promise.race([clock.whenAsleep(), end]);
      await clock.advance(500);
    }
  }

  /** However long that takes: transactions of other databases on this server may be open, too, and count. */
  async function untilOver(clock: ManualClock, end: Promise<unknown>): Promise<void> {
    let isOver = false;
    void end.then(() => {
      isOver = true;
    });
    while (!isOver) await pass(clock, 500, end);
  }

  const oldId = () => db.value<string>("new_job_id", { p_now: new Date(Date.now() - 60_000) });

  test("ends at once where the id is not of this moment", async () => {
    const { part, clock } = waiterOn(realStore());
    const id = await oldId();
    const result = part.wait(id, noLimit).catch((thrown: unknown) => thrown);
    await untilOver(clock, result);
    expect(await result).toBeInstanceOf(JobUnknownError);
    expect(await result).toMatchObject({
      jobId: id,
      message: `There is no job ${id}: it was never added, its transaction was rolled back, or it is past its retention.`,
    });
  });

  test("goes on for five seconds where somebody may be about to add it", async () => {
    const { part, clock } = waiterOn(realStore());
    let ended: unknown = null;
    const result = part.wait(randomUUID(), noLimit).catch((thrown: unknown) => {
      ended = thrown;
    });
    await pass(clock, 4_500, result);
    expect(ended).toBeNull();
    await untilOver(clock, result);
    expect(ended).toBeInstanceOf(JobUnknownError);
  });

  test("goes on while a transaction is open that adds it, and tells how it ended", async () => {
    const { part, clock } = waiterOn(realStore());
    await db.call("define_pipeline", { p_name: "p", p_stages: [{ name: "s" }] });
    const id = await oldId();
    const adder = await db.connect();
    onTestFinished(async () => {
      await adder.query("rollback");
    });
    await adder.query("begin");
    await adder.query("select lockstep.add_job('p', p_id => $1)", [id]);
    const result = part.wait(id, noLimit).catch((thrown: unknown) => thrown);
    await pass(clock, 10_000, result);
    await adder.query("commit");
    await pass(clock, 1_000, result);
    await db.value("cancel_job", { p_id: id });
    await pass(clock, 1_000, result);
    expect(await result).toBeInstanceOf(JobCancelledError);
  });

  test("ends when the transaction that added it is rolled back, and a timeout before that says so", async () => {
    const { part, clock } = waiterOn(realStore());
    await db.call("define_pipeline", { p_name: "p", p_stages: [{ name: "s" }] });
    const id = await oldId();
    const adder = await db.connect();
    onTestFinished(async () => {
      await adder.query("rollback");
    });
    await adder.query("begin");
    await adder.query("select lockstep.add_job('p', p_id => $1)", [id]);
    const result = part.wait(id, noLimit).catch((thrown: unknown) => thrown);
    await pass(clock, 2_000, result);
    const impatient = part.wait(id, { timeoutMs: 1_000 }).catch((thrown: unknown) => thrown);
    await clock.advance(1_000);
    expect(await impatient).toMatchObject({
      message: `Job ${id} did not finish within 1000 ms. There was no such job in that time: a transaction that adds it may still be open, or it was never added.`,
    });
    await adder.query("rollback");
    await untilOver(clock, result);
    expect(await result).toBeInstanceOf(JobUnknownError);
  });

  test("is not asked of the database for a job that ends soon, nor again for one that is there", async () => {
    const store = realStore();
    let looks = 0;
    const counting: ResultWaiterParts["store"] = {
      finishedResults: (ids) => store.finishedResults(ids),
      unknownJobs: (ids) => {
        looks += 1;
        return store.unknownJobs(ids);
      },
    };
    const { part, clock } = waiterOn(counting);
    const claim = await claimedJob();
    const result = part.wait(claim.p_id, noLimit);
    await clock.whenAsleep();
    await clock.advance(100);
    expect(looks).toBe(0);
    await pass(clock, 10_000, result);
    expect(looks).toBe(1);
    await db.call("complete_job", { ...claim, p_output: 1 });
    await pass(clock, 1_000, result);
    expect(await result).toBe(1);
  });
});

describe("the poll", () => {
  test("is one for all who wait, also twice for the same job", async () => {
    const { store, polls, finish } = countingStore();
    const { part, clock } = waiterOn(store);
    const [one, two] = [randomUUID(), randomUUID()];
    const results = [part.wait(one, noLimit), part.wait(two, noLimit), part.wait(two, noLimit)];
    await clock.advance(0);
    expect(polls).toEqual([[one, two]]);
    finish(one, 1);
    finish(two, 2);
    await clock.advance(25);
    expect(await Promise.all(results)).toEqual([1, 2, 2]);
    expect(polls).toHaveLength(2);
  });

  test("asks for at most five hundred in one call", async () => {
    const { store, polls, finish } = countingStore();
    const { part, clock } = waiterOn(store);
    const ids = Array.from({ length: 1_200 }, () => randomUUID());
    for (const id of ids) finish(id, id);
    const results = ids.map((id) => part.wait(id, noLimit));
    await clock.advance(0);
    expect(await Promise.all(results)).toEqual(ids);
    expect(polls.map((asked) => asked.length)).toEqual([500, 500, 200]);
  });

  test("comes ever more rarely while nothing happens, down to twice a second", async () => {
    const { store, polls } = countingStore();
    const { part, clock } = waiterOn(store);
    void part.wait(randomUUID(), noLimit).catch(() => {});
    await clock.advance(100);
    expect(polls.length).toBeGreaterThanOrEqual(3);
    await clock.advance(10_000);
    const before = polls.length;
    await clock.advance(10_000);
    expect(polls.length - before).toBe(20);
  });

  test("comes at once for a newcomer and for a job whose end is told, and for the end of no other", async () => {
    const { store, polls, finish } = countingStore();
    const { part, clock, tell } = waiterOn(store);
    const [one, two] = [randomUUID(), randomUUID()];
    const result = part.wait(one, noLimit);
    await clock.advance(20_050);
    const before = polls.length;
    tell(two);
    await clock.advance(0);
    expect(polls).toHaveLength(before);
    const second = part.wait(two, noLimit);
    await clock.advance(0);
    expect(polls).toHaveLength(before + 1);
    finish(two, 2);
    tell(two);
    await clock.advance(0);
    expect(await second).toBe(2);
    finish(one, 1);
    await clock.advance(25);
    expect(await result).toBe(1);
  });

  test("comes again when the end of a job was told while it was under way", async () => {
    const { store, finish, polls } = countingStore();
    const id = randomUUID();
    let answer = () => {};
    const slow: ResultWaiterParts["store"] = {
      ...store,
      finishedResults: async (ids) => {
        const finished = await store.finishedResults(ids);
        if (polls.length === 1) await new Promise<void>((resolve) => (answer = resolve));
        return finished;
      },
    };
    const { part, clock, tell } = waiterOn(slow);
    const result = part.wait(id, noLimit);
    await clock.advance(0);
    finish(id, "late");
    tell(id);
    answer();
    expect(await result).toBe("late");
    expect(clock.monotonicMs()).toBe(0);
  });

  test("listens to the ends of jobs only while somebody waits", async () => {
    const { store, finish } = countingStore();
    const { part, clock, events } = waiterOn(store);
    const isListening = () => events.hasListeners("job.completed");
    expect(isListening()).toBe(false);
    const id = randomUUID();
    const result = part.wait(id, noLimit);
    await clock.advance(0);
    expect(isListening()).toBe(true);
    finish(id, "done");
    await clock.advance(25);
    await result;
    await clock.advance(0);
    expect(isListening()).toBe(false);
  });

  test("leaves a busy database half of the time", async () => {
    const { store, polls } = countingStore();
    const clock = new ManualClock();
    const part = new ResultWaiter({
      clock,
      events: new EngineEvents(),
      store: {
        ...store,
        finishedResults: async (ids) => {
          await clock.sleep(400);
          return await store.finishedResults(ids);
        },
      },
    });
    void part.wait(randomUUID(), noLimit).catch(() => {});
    await clock.advance(400);
    for (let newcomer = 0; newcomer < 10; newcomer++) {
      void part.wait(randomUUID(), noLimit).catch(() => {});
      await clock.advance(39);
    }
    expect(polls).toHaveLength(1);
    await clock.advance(10 + 400);
    expect(polls).toHaveLength(2);
    const stopping = part.stop();
    await clock.advance(400);
    await stopping;
  });
});
