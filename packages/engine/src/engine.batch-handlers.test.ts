// In real time: whole engines on PostgreSQL.
import { recordEvents, testDatabase } from "@lockstep/test-support";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createEngine, type Engine } from "./engine.ts";
import type { EngineOptions } from "./engine-config.ts";
import { fanOut } from "./jobs/adding/fan-out.ts";
import { finish, giveUp, retryLater, snooze } from "./jobs/outcomes/outcome.ts";
import { type AnyPipeline, definePipeline } from "./jobs/pipelines/pipeline.ts";

const db = testDatabase();
beforeEach(() => db.reset());

const soon = { retry: { kind: "constant", baseMs: 1 } } as const;
const batch = { size: 100, waitMs: 50 };

function anEngine(pipelines: readonly AnyPipeline[], options: Partial<EngineOptions> = {}): Engine {
  const engine = createEngine({ databaseUrl: db.url, pipelines, logger: null, ...options });
  onTestFinished(() => engine.stop());
  return engine;
}

/** So many jobs, added before anybody works; the payload of each is its number, from 0. */
async function add(engine: Engine, pipeline: AnyPipeline, count: number): Promise<string[]> {
  const items = Array.from({ length: count }, (_, payload) => ({ payload }));
  return (await engine.addMany(pipeline, items)).map(({ id }) => id);
}

const resultsOf = (engine: Engine, ids: readonly string[]) =>
  Promise.all(ids.map((id) => engine.result(id, { timeoutMs: 30_000 })));

async function statusesOf(engine: Engine, ids: readonly string[]): Promise<unknown[]> {
  const jobs = await Promise.all(ids.map((id) => engine.get(id)));
  return jobs.map((job) => job?.status);
}

/** A promise, and what resolves it. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

describe("one call of a batch handler", () => {
  test("is for all jobs that wait, and each goes on with its own output", async () => {
    const calls: number[][] = [];
    // They come in several claims, and however slowly they do, the call waits for the last.
    const patient = { batch: { size: 12, waitMs: 60_000 } };
    const embed = definePipeline<number>("embed")
      .stage("read", ({ payload }) => `text ${payload}`)
      .stage("embed", patient, async (jobs) => {
        calls.push(jobs.map(({ payload }) => payload));
        return jobs.map(({ output }) => [output.length]);
      })
      .stage("store", ({ output, outputs }) => ({ output, read: outputs.read }));
    const engine = anEngine([embed]);
    const ids = await add(engine, embed, 12);
    await engine.start();
    const stored = Array.from({ length: 12 }, (_, n) => ({ output: [n < 10 ? 6 : 7], read: `text ${n}` }));
    expect(await resultsOf(engine, ids)).toEqual(stored);
    expect(calls).toHaveLength(1);
    expect(calls.flat().sort((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, n) => n));
    expect(await engine.verify()).toEqual([]);
  });

  test("with one failing job among 100 leaves the other 99 alone", async () => {
    const calls: number[] = [];
    const embed = definePipeline<number>("embed").stage("embed", { batch, ...soon }, (jobs) => {
      calls.push(jobs.length);
      return jobs.map(async ({ payload, attempt }) => {
        if (payload === 42 && attempt === 1) throw new Error("no 42");
        return payload * 2;
      });
    });
    const engine = anEngine([embed]);
    const ids = await add(engine, embed, 100);
    await engine.start();
    expect(await resultsOf(engine, ids)).toEqual(ids.map((_, n) => n * 2));
    expect(calls).toEqual([100, 1]);
    const jobs = await Promise.all(ids.map((id) => engine.get(id)));
    expect(jobs.flatMap((job, n) => (job?.attempts.length === 1 ? [] : [n]))).toEqual([42]);
    expect(jobs[42]?.attempts.map(({ outcome, error }) => [outcome, error?.message])).toEqual([
      ["failed", "no 42"],
      ["done", undefined],
    ]);
  });

  test("takes for each job whatever a handler of one job may answer", async () => {
    const child = definePipeline("child").stage("be", () => "child");
    const answers = [
      () => "done",
      () => giveUp("useless"),
      () => retryLater({ afterMs: 3_600_000 }),
      () => snooze({ forMs: 3_600_000 }),
      () => finish("early"),
      () => fanOut(child, [{ payload: null }]),
      () => Promise.reject(new Error("broken")),
      () => ({ notJson: 1n }),
    ];
    const many = definePipeline<number>("many")
      .stage("answer", { batch }, (jobs) => jobs.map(({ payload }) => answers[payload]?.()))
      .stage("next", () => "went on");
    const engine = anEngine([many, child]);
    const ids = await add(engine, many, answers.length);
    await engine.start();
    const ends = [
      "completed",
      "failed",
      "retrying",
      "scheduled",
      "completed",
      "completed",
      "retrying",
      "failed",
    ];
    await expect.poll(() => statusesOf(engine, ids), { timeout: 10_000 }).toEqual(ends);
    const [done, given, , , finished, fannedOut, broken, unstorable] = await Promise.all(
      ids.map((id) => engine.get(id)),
    );
    expect([done?.result, finished?.result, fannedOut?.result]).toEqual(["went on", "early", "went on"]);
    expect([given, broken].map((job) => job?.attempts[0]?.error?.message)).toEqual(["useless", "broken"]);
    expect(unstorable?.attempts[0]?.error).toMatchObject({ code: "invalid_output" });
    expect(await engine.verify()).toEqual([]);
  });

  test("that throws fails the attempt of each of its jobs, and each is tried again", async () => {
    let calls = 0;
    const flaky = definePipeline<number>("flaky").stage("try", { batch, ...soon }, (jobs) => {
      calls += 1;
      if (calls === 1) throw new Error("the provider is away");
      return jobs.map(({ attempt }) => attempt);
    });
    const engine = anEngine([flaky]);
    const ids = await add(engine, flaky, 5);
    await engine.start();
    expect(await resultsOf(engine, ids)).toEqual([2, 2, 2, 2, 2]);
    for (const id of ids) {
      expect((await engine.get(id))?.attempts).toMatchObject([
        { outcome: "failed", error: { message: "the provider is away" } },
        { outcome: "done" },
      ]);
    }
  });

  test.each<[string, (jobs: readonly unknown[]) => never, RegExp]>([
    ["too few answers", () => ["one"] as never, /called with 3 jobs and returned 1: it must return an array/],
    ["too many answers", () => [1, 2, 3, Promise.reject(4)] as never, /called with 3 jobs and returned 4/],
    ["no array", () => "done" as never, /called with 3 jobs and returned a value of type string/],
    ["null", () => null as never, /called with 3 jobs and returned null/],
  ])("with %s fails all of them with a sentence", async (_what, answer, sentence) => {
    const wrong = definePipeline<number>("wrong").stage("be", { batch, maxAttempts: 1 }, answer);
    const engine = anEngine([wrong]);
    const ids = await add(engine, wrong, 3);
    await engine.start();
    for (const id of ids) {
      await expect(engine.result(id, { timeoutMs: 30_000 })).rejects.toThrow(sentence);
      await expect(engine.result(id)).rejects.toThrow("The batch handler of wrong/be");
    }
  });

  test("that returns nothing, or one answer for all, has answered for each", async () => {
    const quiet = definePipeline<number>("quiet").stage("be", { batch }, async () => {});
    const hopeless = definePipeline<number>("hopeless").stage("be", { batch }, () => giveUp("all of you"));
    const engine = anEngine([quiet, hopeless]);
    const completed = await add(engine, quiet, 3);
    const failed = await add(engine, hopeless, 3);
    await engine.start();
    expect(await resultsOf(engine, completed)).toEqual([null, null, null]);
    for (const id of failed) {
      await expect(engine.result(id, { timeoutMs: 30_000 })).rejects.toThrow("all of you");
    }
  });

  test("is not for jobs whose payload is refused or that are skipped", async () => {
    const seen: number[][] = [];
    const payload = z.object({ n: z.number() });
    const when = ({ payload: { n } }: { payload: { n: number } }) => n !== 1;
    const picky = definePipeline("picky", { payload }).stage("work", { batch, when }, (jobs) => {
      seen.push(jobs.map((job) => job.payload.n).sort());
      return jobs.map((job) => job.payload.n * 10);
    });
    const loose = definePipeline<unknown>("picky").stage("work", () => 0);
    const added = await anEngine([loose]).addMany(
      loose,
      [{ n: 0 }, { n: 1 }, { n: "two" }, { n: 3 }].map((each) => ({ payload: each })),
    );
    const engine = anEngine([picky]);
    await engine.start();
    const ids = added.map(({ id }) => id);
    await expect
      .poll(() => statusesOf(engine, ids), { timeout: 10_000 })
      .toEqual(["completed", "completed", "failed", "completed"]);
    const jobs = await Promise.all(ids.map((id) => engine.get(id)));
    expect(jobs.map((job) => job?.result)).toEqual([0, null, null, 30]);
    expect(jobs.map((job) => job?.attempts[0]?.outcome)).toEqual(["done", "skipped", "failed", "done"]);
    expect(seen).toEqual([[0, 3]]);
  });
});

describe("each job of a call", () => {
  test("has a context of its own: progress, log, once and the transaction that ends its stage", async () => {
    const happened: string[] = [];
    const pay = definePipeline<number>("pay")
      .stage("pay", { batch, ...soon }, async (jobs) => {
        const receipts: string[] = [];
        for (const { payload, once, progress, log } of jobs) {
          log.info(`paying ${payload}`);
          progress(50, `half of ${payload}`);
          receipts.push(
            await once("pay", () => {
              happened.push(`${payload}`);
              return `receipt ${payload}`;
            }),
          );
        }
        if (jobs[0]?.attempt === 1) throw new Error("after the payments");
        return receipts;
      })
      .stage("book", { batch }, async (jobs) => {
        const tx = await db.connect();
        await tx.query("begin");
        const outputs = [];
        for (const { output, completeIn } of jobs) outputs.push(await completeIn(tx, `booked ${output}`));
        await tx.query("commit");
        await tx.end();
        return outputs;
      });
    const engine = anEngine([pay]);
    const ids = await add(engine, pay, 3);
    await engine.start();
    expect(await resultsOf(engine, ids)).toEqual([0, 1, 2].map((n) => `booked receipt ${n}`));
    expect(happened.sort()).toEqual(["0", "1", "2"]);
    const jobs = await Promise.all(ids.map((id) => engine.get(id)));
    expect(jobs.map((job) => job?.attempts[0]?.log?.[0]?.message)).toEqual(
      [0, 1, 2].map((n) => `paying ${n}`),
    );
    expect(await engine.verify()).toEqual([]);
  });

  test("can be cancelled by itself: its signal aborts, and the others go on", async () => {
    const began = gate();
    const ended = gate();
    const seen: string[] = [];
    const long = definePipeline<number>("long").stage("run", { batch }, async (jobs, { signal }) => {
      for (const job of jobs) {
        job.signal.addEventListener("abort", () => {
          seen.push(`${job.payload} ${job.signal.reason.reason}, call ${signal.aborted}`);
          ended.open();
        });
      }
      began.open();
      await ended.opened;
      return jobs.map(async (job) => {
        job.signal.throwIfAborted();
        return job.payload;
      });
    });
    const engine = anEngine([long]);
    const ids = await add(engine, long, 3);
    await engine.start();
    await began.opened;
    expect(await engine.cancel(ids[1] ?? "")).toBe("cancel_requested");
    await expect
      .poll(() => statusesOf(engine, ids), { timeout: 10_000 })
      .toEqual(["completed", "cancelled", "completed"]);
    expect(seen).toEqual(["1 cancel, call false"]);
  });

  test("whose claim is lost has its answer refused, and the others keep theirs", async () => {
    const lossy = definePipeline<number>("lossy").stage("run", { batch }, async (jobs) => {
      const lost = jobs.find(({ payload }) => payload === 1);
      await db.query("update lockstep.jobs set claim_token = gen_random_uuid() where id = $1", [lost?.jobId]);
      return jobs.map(({ payload }) => payload);
    });
    const engine = anEngine([lossy]);
    const told = recordEvents(engine);
    const [first = "", second = "", third = ""] = await add(engine, lossy, 3);
    await engine.start();
    expect(await resultsOf(engine, [first, third])).toEqual([0, 2]);
    expect(await told.next("claim.lost")).toMatchObject({ jobId: second });
    expect(await engine.get(second)).toMatchObject({ status: "processing" });
  });

  test("is out of time when the call is, which has one timeout", async () => {
    const aborted: string[] = [];
    const slow = definePipeline<number>("slow").stage(
      "run",
      { batch, timeoutMs: 50, maxAttempts: 1 },
      (jobs, { signal }) =>
        new Promise<number[]>((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            aborted.push(`${signal.reason.reason}: ${jobs.filter((job) => job.signal.aborted).length}`);
            reject(signal.reason);
          });
        }),
    );
    const engine = anEngine([slow]);
    const ids = await add(engine, slow, 3);
    await engine.start();
    await expect
      .poll(() => statusesOf(engine, ids), { timeout: 10_000 })
      .toEqual(["failed", "failed", "failed"]);
    expect(aborted).toEqual(["timeout: 3"]);
    expect((await engine.get(ids[0] ?? ""))?.attempts).toMatchObject([{ outcome: "timeout" }]);
  });
});

describe("a worker", () => {
  test("makes as many calls at a time as the stage has processors, each of as many jobs as it takes", async () => {
    let running = 0;
    const most = { calls: 0, jobs: 0 };
    const sizes: number[] = [];
    const stage = { batch: { size: 5, waitMs: 1_000 }, processors: 2 };
    const busy = definePipeline<number>("busy").stage("run", stage, async (jobs) => {
      running += 1;
      most.calls = Math.max(most.calls, running);
      sizes.push(jobs.length);
      await new Promise((resolve) => setTimeout(resolve, 20));
      running -= 1;
    });
    const engine = anEngine([busy]);
    const ids = await add(engine, busy, 30);
    await engine.start();
    await resultsOf(engine, ids);
    expect(most.calls).toBe(2);
    expect(sizes).toEqual([5, 5, 5, 5, 5, 5]);
  });

  test("that stops lets a call end, and gives back the jobs it was gathering, unspent", async () => {
    const began = gate();
    const goOn = gate();
    const gathered = gate();
    const stage = { batch: { size: 3, waitMs: 60_000 }, processors: 2 };
    const slow = definePipeline<number>("slow").stage("run", stage, async () => {
      began.open();
      await goOn.opened;
    });
    const engine = anEngine([slow]);
    let claimed = 0;
    engine.on("job.claimed", () => {
      claimed += 1;
      if (claimed === 5) gathered.open();
    });
    const ids = await add(engine, slow, 5);
    await engine.start();
    await Promise.all([began.opened, gathered.opened]);
    const stopping = engine.stop();
    goOn.open();
    await stopping;
    const reader = anEngine([slow]);
    const jobs = await Promise.all(ids.map((id) => reader.get(id)));
    const toldOf = jobs.map((job) => [job?.status, job?.attempts.map(({ outcome }) => outcome)]);
    expect(jobs.slice(3).map((job) => job?.attempt)).toEqual([0, 0]);
    expect(toldOf).toEqual([
      ["completed", ["done"]],
      ["completed", ["done"]],
      ["completed", ["done"]],
      ["pending", ["released"]],
      ["pending", ["released"]],
    ]);
    expect(await reader.verify()).toEqual([]);
  });

  test("and others together keep a stage's limits, which count jobs and not calls", async () => {
    let running = 0;
    let most = 0;
    const sizes: number[] = [];
    const limited = definePipeline<number>("limited").stage(
      "run",
      { batch: { size: 100, waitMs: 5 }, concurrency: 4 },
      async (jobs) => {
        running += jobs.length;
        most = Math.max(most, running);
        sizes.push(jobs.length);
        await new Promise((resolve) => setTimeout(resolve, 10));
        running -= jobs.length;
      },
    );
    const engines = [anEngine([limited]), anEngine([limited])];
    const [engine = anEngine([limited])] = engines;
    const ids = await add(engine, limited, 24);
    await Promise.all(engines.map((each) => each.start()));
    await resultsOf(engine, ids);
    expect(most).toBeLessThanOrEqual(4);
    expect(Math.max(...sizes)).toBeGreaterThan(1);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(24);
  });

  test("reports how many jobs a call takes", async () => {
    const sized = definePipeline<number>("sized")
      .stage("one", () => 1)
      .stage("many", { batch: { size: 25 } }, () => {});
    const times = { heartbeatIntervalMs: 50, leaseMs: 5_000, leaseMarginMs: 1_000 };
    const engine = anEngine([sized], times);
    await engine.start();
    const reported = async () =>
      (await engine.workers())[0]?.report as { stages?: { batchSize?: number }[] } | null;
    await expect
      .poll(async () => (await reported())?.stages?.map(({ batchSize }) => batchSize), { timeout: 10_000 })
      .toEqual([undefined, 25]);
  });

  test("may have no more jobs than jobsAtOnce, however many a call could take", async () => {
    const sizes: number[] = [];
    const bounded = definePipeline<number>("bounded").stage(
      "run",
      { batch: { size: 100, waitMs: 5 } },
      async (jobs) => {
        sizes.push(jobs.length);
      },
    );
    const engine = anEngine([bounded], { jobsAtOnce: 3 });
    const ids = await add(engine, bounded, 9);
    await engine.start();
    await resultsOf(engine, ids);
    expect(Math.max(...sizes)).toBe(3);
  });
});
