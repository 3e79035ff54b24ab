import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { type Clock, systemClock } from "../../clock.ts";
import { definePipeline } from "../../jobs/pipelines/pipeline.ts";
import { DatabaseUnavailableError } from "../../store/connections/database-error.ts";
import {
  aGate,
  classic,
  registration,
  replyLost,
  schedulersOnDatabase,
} from "../../test-support/scheduler-setup.ts";

// Generous: a busy machine is slow.
const soon = { timeout: 25_000 };
const { db, stores, aWorker, jobs, statusOf } = schedulersOnDatabase();

describe("claiming", () => {
  test("takes what there are idle processors for, and no more of slow jobs", async () => {
    const worker = await aWorker({ options: { processors: 2 } });
    const ids = await jobs(5);
    await worker.start();
    expect(worker.running()).toEqual(ids.slice(0, 2));
    expect(worker.calls).toEqual([{ ends: 0, asks: 2, claims: 2 }]);
    expect(worker.queue.isEmpty).toBe(true);
  });

  test("tells when there was less than it had room for", async () => {
    const worker = await aWorker({ options: { processors: 2 } });
    const [first] = await jobs(3);
    await worker.start();
    expect(worker.asked.nothingFound).toBe(0);
    await worker.end(String(first));
    expect(worker.asked.nothingFound).toBe(0);
    for (const id of worker.running()) await worker.end(id);
    expect(worker.asked.nothingFound).toBeGreaterThan(0);
  });

  test("goes in one call with the ends of attempts", async () => {
    const worker = await aWorker({ options: { processors: 1 } });
    const [first, second] = await jobs(2);
    await worker.start();
    await worker.end(String(first));
    expect(worker.calls).toEqual([
      { ends: 0, asks: 1, claims: 1 },
      { ends: 1, asks: 1, claims: 1 },
    ]);
    expect(worker.running()).toEqual([first, second]);
    expect(await statusOf(first)).toBe("completed");
  });

  test("gathers what ends while a call is under way into the next", async () => {
    const worker = await aWorker({ options: { processors: 5 } });
    const [first, ...others] = await jobs(5);
    await worker.start();
    const held = aGate();
    worker.faults.push(async (answer) => {
      await held.promise;
      return answer();
    });
    const ended = [worker.end(String(first))];
    await expect.poll(() => worker.calls.length, soon).toBe(2);
    ended.push(...others.map((id) => worker.end(id)));
    await worker.clock.advance(0);
    held.resolve();
    await Promise.all(ended);
    expect(worker.calls.slice(1, 3).map(({ ends }) => ends)).toEqual([1, 4]);
  });

  test("makes a second call beside one under way when a hundred ends wait, and never a third", async () => {
    const worker = await aWorker({ options: { processors: 250 } });
    const ids = await jobs(249);
    await worker.start();
    const held = aGate();
    for (let call = 0; call < 2; call += 1) {
      worker.faults.push(async (answer) => {
        await held.promise;
        return answer();
      });
    }
    const ended = ids.slice(0, 1).map((id) => worker.end(id));
    await expect.poll(() => worker.calls.length, soon).toBe(2);
    ended.push(...ids.slice(1, 100).map((id) => worker.end(id)));
    await worker.clock.advance(0);
    expect(worker.calls).toHaveLength(2);
    ended.push(...ids.slice(100, 101).map((id) => worker.end(id)));
    await expect.poll(() => worker.calls.length, soon).toBe(3);
    ended.push(...ids.slice(101).map((id) => worker.end(id)));
    await worker.clock.advance(0);
    expect(worker.calls).toHaveLength(3);
    held.resolve();
    await Promise.all(ended);
    expect(worker.told.all("job.completed")).toHaveLength(249);
    expect(new Set(worker.told.all("job.completed").map(({ jobId }) => jobId)).size).toBe(249);
  });

  test("makes a second call for more jobs while one is under way, when the last look found all it asked for", async () => {
    const worker = await aWorker({ options: { processors: 250 } });
    const ids = await jobs(600);
    await worker.start();
    const held = aGate();
    worker.faults.push(async (answer) => {
      await held.promise;
      return answer();
    });
    const ended = ids.slice(0, 1).map((id) => worker.end(id));
    await expect.poll(() => worker.calls.length, soon).toBe(2);
    ended.push(...ids.slice(1, 61).map((id) => worker.end(id)));
    await expect.poll(() => worker.calls[2], soon).toMatchObject({ ends: 60, asks: 60, claims: 60 });
    held.resolve();
    await Promise.all(ended);
  });

  test("makes one call at a time where others claim from the same line, but for a look that is asked for", async () => {
    const worker = await aWorker({ options: { processors: 250 } });
    const ids = await jobs(600);
    const other = randomUUID();
    await stores.workers.register({ ...registration, workerId: other, stages: ["orders/read"] });
    const [stage] = await db.query<{ id: number }>("select id from lockstep.stages");
    const places = new Array(20).fill(0);
    const request = { stageId: stage?.id ?? 0, room: 1, keep: 0, places, scan: 2, dueAfter: null } as const;
    await stores.claims.settleAndClaim(other, [], [request]);
    await worker.start();
    const held = aGate();
    worker.faults.push(async (answer) => {
      await held.promise;
      return answer();
    });
    const mine = ids.slice(1);
    const ended = mine.slice(0, 1).map((id) => worker.end(id));
    await expect.poll(() => worker.calls.length, soon).toBe(2);
    ended.push(...mine.slice(1, 201).map((id) => worker.end(id)));
    await worker.clock.advance(0);
    expect(worker.calls).toHaveLength(2);
    worker.scheduler.lookNow();
    await expect.poll(() => worker.calls.length, soon).toBe(3);
    held.resolve();
    await Promise.all(ended);
  });

  // In real time: the pace of fast jobs is what is measured.
  test("runs ahead of fast jobs, so that no processor waits for a call", async () => {
    const pipeline = definePipeline("orders").stage("read", { processors: 2 }, () => 1);
    const worker = await aWorker({ pipeline, clock: systemClock });
    const ids = await jobs(1_000);
    worker.scheduler.start();
    await expect.poll(() => worker.told.all("job.completed").length, { timeout: 10_000 }).toBe(ids.length);
    expect(Math.max(...worker.calls.map(({ claims }) => claims))).toBeGreaterThan(20);
    expect(worker.calls.length).toBeLessThan(200);
  });

  test("rests while the lease is not to be trusted, but ends are settled", async () => {
    let isTrusted = true;
    const worker = await aWorker({ options: { processors: 1 }, isTrusted: () => isTrusted });
    const [first, second] = await jobs(2);
    await worker.start();
    isTrusted = false;
    await worker.end(String(first));
    expect(worker.calls.at(-1)).toEqual({ ends: 1, asks: 0, claims: 0 });
    expect([await statusOf(first), await statusOf(second)]).toEqual(["completed", "pending"]);
    isTrusted = true;
    worker.scheduler.lookNow();
    await worker.quiet();
    expect(worker.running()).toContain(second);
  });

  test("finds out that the lease is over", async () => {
    const worker = await aWorker();
    await db.timePasses(31_000);
    await worker.start();
    expect(worker.asked.lost).toBeGreaterThan(0);
  });

  test("is told before its handlers begin", async () => {
    const order: string[] = [];
    const pipeline = definePipeline("orders").stage("read", () => void order.push("begun"));
    const worker = await aWorker({ pipeline, onClaimed: () => order.push("claimed") });
    await jobs(2);
    await worker.start();
    expect(order).toEqual(["claimed", "begun", "begun"]);
    expect(worker.held.isEmpty).toBe(true);
  });

  test("of a job whose handler still runs here is put off for a second", async () => {
    const worker = await aWorker();
    const [id] = await jobs(1);
    await worker.start();
    const [row] = await db.query<{ token: string }>("select claim_token as token from lockstep.jobs");
    await db.value("release_job", { p_id: id, p_claim_token: row?.token });
    worker.scheduler.lookNow();
    await worker.quiet();
    expect(worker.told.all("job.started")).toHaveLength(1);
    expect(await statusOf(id)).toBe("scheduled");
  });
});

describe("a job that goes on to its next stage", () => {
  const twoStages = (processors: number) => {
    const finish = new Map<string, () => void>();
    const pipeline = definePipeline("orders")
      .stage("read", { processors: 2 }, () => "read")
      .stage(
        "send",
        { processors },
        ({ jobId }) => new Promise<void>((resolve) => finish.set(jobId, resolve)),
      );
    return { pipeline, finish };
  };

  test("stays with the worker that has room for it", async () => {
    const { pipeline, finish } = twoStages(1);
    const worker = await aWorker({ pipeline });
    const [id] = await jobs(1);
    await worker.start();
    expect([...finish.keys()]).toEqual([id]);
    expect(worker.calls.reduce((sum, { claims }) => sum + claims, 0)).toBe(1);
    expect(worker.told.all("job.claimed").map(({ stage }) => stage)).toEqual(["read", "send"]);
  });

  test("waits for anyone where there is none", async () => {
    const { pipeline, finish } = twoStages(1);
    const worker = await aWorker({ pipeline });
    const [first, second] = await jobs(2);
    await worker.start();
    expect([...finish.keys()]).toEqual([first]);
    expect(await stores.jobs.get(String(second))).toMatchObject({ stage: "send", status: "pending" });
    finish.get(String(first))?.();
    await worker.quiet();
    expect([...finish.keys()]).toEqual([first, second]);
  });
});

describe("when the database fails", () => {
  test("it goes on as soon as PostgreSQL has answered another", async () => {
    const worker = await aWorker();
    for (let time = 0; time < 2; time += 1) {
      worker.faults.push(async () => {
        throw new DatabaseUnavailableError(new Error("gone"));
      });
    }
    await jobs(1);
    await worker.start();
    expect(worker.calls).toHaveLength(2);
    worker.scheduler.databaseAnswered();
    await worker.quiet();
    expect(worker.calls[2]).toMatchObject({ claims: 1 });
  });

  test("it sends the ends again at once, and nothing is done or told twice", async () => {
    const worker = await aWorker();
    const [id] = await jobs(1);
    await worker.start();
    worker.faults.push(replyLost);
    await worker.end(String(id));
    expect(worker.asked.doubt).toBe(1);
    expect(worker.calls[2]).toMatchObject({ ends: 1 });
    expect((await stores.jobs.get(String(id)))?.attempts).toHaveLength(1);
    expect(worker.told.names()).not.toContain("claim.lost");
  });

  test("an outage is the pool's to tell, any other error is told here", async () => {
    const worker = await aWorker();
    for (let time = 0; time < 2; time += 1) {
      worker.faults.push(async () => {
        throw new DatabaseUnavailableError(new Error("gone"));
      });
    }
    worker.faults.push(async () => {
      throw new Error("a bug");
    });
    await worker.start();
    expect(worker.told.all("engine.error")).toEqual([]);
    await worker.advance(200);
    expect(worker.told.all("engine.error")).toMatchObject([{ error: { message: "a bug" } }]);
  });

  test("its pauses grow to five seconds and are forgotten with the first success", async () => {
    const worker = await aWorker();
    for (let time = 0; time < 8; time += 1) {
      worker.faults.push(async () => {
        throw new DatabaseUnavailableError(new Error("gone"));
      });
    }
    await worker.start();
    // The second one went at once.
    expect(worker.calls).toHaveLength(2);
    for (const pauseMs of [150, 300, 600, 1_200, 2_400, 3_750]) {
      const calls = worker.calls.length;
      await worker.advance(pauseMs - 1);
      expect(worker.calls).toHaveLength(calls);
      await worker.advance(1);
      expect(worker.calls).toHaveLength(calls + 1);
    }
    await worker.advance(3_750);
    await worker.advance(2);
    expect(worker.calls.length).toBeGreaterThan(9);
  });
});

describe("when calls fail that were under way together", () => {
  test("they count once, and the next call goes at once", async () => {
    const worker = await aWorker({ options: { processors: 250 } });
    const ids = await jobs(249);
    await worker.start();
    const held = aGate();
    for (let call = 0; call < 2; call += 1) {
      worker.faults.push(async () => {
        await held.promise;
        throw new DatabaseUnavailableError(new Error("Connection terminated unexpectedly"));
      });
    }
    const ended = ids.slice(0, 1).map((id) => worker.end(id));
    await expect.poll(() => worker.calls.length, soon).toBe(2);
    ended.push(...ids.slice(1).map((id) => worker.end(id)));
    await expect.poll(() => worker.calls.length, soon).toBe(3);
    held.resolve();
    await Promise.all(ended);
    expect(worker.told.all("job.completed")).toHaveLength(249);
  });
});

describe("a job that must run alone", () => {
  async function suspect(): Promise<string> {
    const [id] = await jobs(1);
    await db.query("update lockstep.jobs set suspect = true, losses = 2 where id = $1", [id]);
    return String(id);
  }

  test("makes the worker give its waiting jobs back, run out its others, and then take this one alone", async () => {
    const worker = await aWorker({ ...classic, claimBatchSize: 3, options: { processors: 1 } });
    const [first, ...waiting] = await jobs(3);
    await worker.start();
    const alone = await suspect();
    await worker.advance(60_000);
    for (const id of waiting) expect(await statusOf(id)).toBe("pending");
    expect(worker.running()).toEqual([first]);
    await worker.end(String(first));
    expect(worker.running()).toEqual([first, alone]);
    expect(worker.queue.isEmpty).toBe(true);
    await worker.advance(60_000);
    expect(worker.running()).toEqual([first, alone]);
    await worker.end(alone);
    await worker.advance(60_000);
    expect(waiting).toContain(worker.running()[2]);
  });

  test("is taken at once by a worker that holds nothing", async () => {
    const worker = await aWorker();
    const alone = await suspect();
    await jobs(2);
    await worker.start();
    expect(worker.running()).toEqual([alone]);
  });
});

describe("stopping", () => {
  test("takes no more claims, gives back those that were under way, and settles all that ends", async () => {
    const worker = await aWorker({ options: { processors: 2 } });
    const [first] = await jobs(1);
    await worker.start();
    const [late] = await jobs(1);
    worker.faults.push(async (answer) => {
      worker.scheduler.stopClaiming();
      return answer();
    });
    worker.scheduler.lookNow();
    await worker.quiet();
    expect(await statusOf(late)).toBe("pending");
    await worker.end(String(first));
    expect(await statusOf(first)).toBe("completed");
    await worker.scheduler.stop(1_000);
  });

  test("settles what is left before it is over", async () => {
    const worker = await aWorker();
    const [id] = await jobs(1);
    await worker.start();
    worker.faults.push(replyLost, replyLost);
    await worker.end(String(id));
    const stopped = worker.scheduler.stop(5_000);
    await worker.advance(200);
    await stopped;
    expect(worker.calls.at(-1)).toMatchObject({ ends: 1, asks: 0 });
  });

  test("waits no longer than its limit for a call that hangs", async () => {
    const worker = await aWorker();
    const [id] = await jobs(1);
    await worker.start();
    const held = aGate();
    worker.faults.push(async (answer) => {
      await held.promise;
      return answer();
    });
    void worker.end(String(id));
    await worker.clock.advance(0);
    const stopped = worker.scheduler.stop(4_000);
    await worker.clock.advance(4_000);
    await stopped;
    held.resolve();
    await worker.quiet();
  });

  test("leaves no timer behind when nothing is left to settle", async () => {
    let asleep = 0;
    const counting: Clock = {
      now: () => systemClock.now(),
      monotonicMs: () => systemClock.monotonicMs(),
      sleep: async (ms, signal) => {
        asleep += 1;
        await systemClock.sleep(ms, signal);
        asleep -= 1;
      },
    };
    const worker = await aWorker({ clock: counting });
    await worker.start();
    await worker.scheduler.stop(60_000);
    await worker.quiet();
    expect(asleep).toBe(0);
  });
});
