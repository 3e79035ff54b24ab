import {
  createEngine,
  definePipeline,
  type Engine,
  LeaseLostError,
  RefusedError,
  type StageContext,
  TransactionError,
} from "lockstep";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type RecordedEvents, recordEvents } from "./recorded-events.ts";
import { type TestDatabase, testDatabase } from "./test-database.ts";

/** A database client as its users have it. */
export interface TransactionClient {
  /** Commits when `run` resolves, rolls back when it rejects. */
  transaction<Result>(run: (tx: object) => Promise<Result>): Promise<Result>;
  /** A statement of the caller's own in that transaction. */
  write(tx: object, text: string): Promise<unknown>;
  /** What is easily given in place of a transaction, by what it is. */
  readonly mistaken: Readonly<Record<string, object>>;
  end(): Promise<void>;
}

// "?" and "$1" are placeholders to one client or another, "\\" and quotes are its escapes.
const payloads: readonly unknown[] = [
  null,
  true,
  0,
  -1.5e-7,
  9_007_199_254_740_991,
  1e300,
  "",
  "? ?? $1 $2 $$ {1} :name :1 @p1 %s %% \\? \\\\ \\' \"quoted\" 'single' '' -- /* */ ;",
  "null",
  '{"json": "in a text"}',
  "2024-02-29T12:00:00.000Z",
  "日本 🙂 e\u0301 \u00ad \u2028 \t\r\n",
  [],
  [[], [null, [1, "two", { three: [3] }]]],
  {},
  { "?": "?", $1: "$1", "a'b": "c\\d", ключ: { "": null } },
  { at: new Date("2024-02-29T12:00:00Z"), large: "x".repeat(100_000) },
];

/** One suite for every client whose transactions can be given as `tx`. */
export function testTransactions(name: string, open: (url: string) => Promise<TransactionClient>): void {
  const db = testDatabase();
  let client: TransactionClient;
  let engine: Engine;
  let work: (context: StageContext) => Promise<unknown> = async () => null;
  const errands = definePipeline<unknown>("errands")
    .stage("run", { retry: { kind: "constant", baseMs: 0, jitter: 0 } }, (context) => work(context))
    .stage("report", ({ output }) => output);
  const bare = definePipeline<unknown>("bare").stage("run", () => null);
  const talk = definePipeline<unknown>("talk")
    .stage("ask", () => null)
    .wait("answer", {});

  beforeAll(async () => {
    await db.query("create table public.orders (number integer primary key)");
    client = await open(db.url);
    engine = createEngine({ databaseUrl: db.url, pipelines: [bare, talk], logger: null });
  });
  beforeEach(async () => {
    await db.query("truncate public.orders");
  });
  afterAll(async () => {
    await engine.stop();
    await client.end();
  });

  const order = (tx: object, number = 1) =>
    client.write(tx, `insert into public.orders (number) values (${number})`);
  const orders = async () =>
    (await db.query<{ number: number }>("select number from public.orders order by number")).map(
      (row) => row.number,
    );
  const jobs = async () => (await engine.list({ pipeline: "bare", limit: 200 })).length;

  describe(`a signal in a transaction of ${name}`, () => {
    test("counts with the caller's own row when it commits, and not when it rolls back", async () => {
      const { id } = await engine.add(talk, {}, { signalKey: `talk of ${name}` });
      const rolledBack = client.transaction(async (tx) => {
        await order(tx);
        expect(await engine.signal(id, "answer", { yes: "it's ? $1" }, { tx, by: "ada" })).toBe("kept");
        throw new Error("changed my mind");
      });
      await expect(rolledBack).rejects.toThrow("changed my mind");
      const answer = await client.transaction(async (tx) => {
        await order(tx);
        return await engine.signalByKey(talk, `talk of ${name}`, "answer", [1, "?"], { tx });
      });
      expect(answer).toEqual({ answer: "kept", jobId: id });
      expect(await engine.signal(id, "answer", 2)).toBe("already_signalled");
      expect(await orders()).toEqual([1]);
    });
  });

  describe(`an add in a transaction of ${name}`, () => {
    test("is seen with the caller's own row when it commits, and not before", async () => {
      const { id } = await client.transaction(async (tx) => {
        await order(tx);
        const added = await engine.add(bare, { a: 1 }, { tx, priority: 3, tags: ["x"] });
        expect(added).toMatchObject({ created: true, status: "pending" });
        expect(await engine.get(added.id)).toBeNull();
        return added;
      });
      expect(await engine.get(id)).toMatchObject({
        status: "pending",
        payload: { a: 1 },
        priority: 3,
        tags: ["x"],
      });
      expect(await orders()).toEqual([1]);
    });

    test("leaves nothing when it rolls back", async () => {
      const before = await jobs();
      const rolledBack = client.transaction(async (tx) => {
        await order(tx);
        await engine.add(bare, {}, { tx });
        await engine.addMany(bare, [{ payload: 1 }, { payload: 2 }], { tx });
        throw new Error("changed my mind");
      });
      await expect(rolledBack).rejects.toThrow("changed my mind");
      expect(await jobs()).toBe(before);
      expect(await orders()).toEqual([]);
    });

    test("knows a twin that the same transaction added", async () => {
      const [first, second] = await client.transaction(async (tx) => [
        await engine.add(bare, {}, { tx, dedupKey: "twin" }),
        await engine.add(bare, {}, { tx, dedupKey: "twin" }),
      ]);
      expect(second).toEqual({ id: first?.id, created: false, status: "pending" });
    });

    test("that PostgreSQL refuses says why, and the caller can roll back and go on", async () => {
      const refused = client.transaction(async (tx) => {
        await order(tx);
        await engine.add(bare, { secret: "s" }, { tx, scheduledFor: new Date("2999-01-01") });
      });
      const error = await refused.catch((thrown) => thrown);
      expect(error).toBeInstanceOf(RefusedError);
      expect(error).toMatchObject({
        code: "LS001",
        message: expect.stringMatching(/^[A-Z][^{}]*5 years[^{}]*$/),
      });
      expect(await orders()).toEqual([]);
      await client.transaction(async (tx) => order(tx, 2));
      expect(await orders()).toEqual([2]);
    });

    test("that is refused here leaves the transaction as it was", async () => {
      await client.transaction(async (tx) => {
        await order(tx);
        await expect(engine.add(bare, { a: 1n }, { tx })).rejects.toThrow("a");
        await expect(
          engine.addMany(bare, [{ payload: 1 }, { payload: 2, priority: 99 }], { tx }),
        ).rejects.toThrow("priority");
        await order(tx, 2);
      });
      expect(await orders()).toEqual([1, 2]);
    });

    test("stores every payload as it is", async () => {
      const added = await client.transaction(async (tx) =>
        engine.addMany(
          bare,
          payloads.map((payload) => ({ payload })),
          { tx },
        ),
      );
      const single = await client.transaction(async (tx) =>
        engine.add(bare, payloads[7], { tx, owner: "o'?$1\\" }),
      );
      const stored = await Promise.all(added.map(({ id }) => engine.get(id)));
      expect(stored.map((job) => job?.payload)).toEqual(JSON.parse(JSON.stringify(payloads)));
      expect(await engine.get(single.id)).toMatchObject({ payload: payloads[7], owner: "o'?$1\\" });
    });

    test("takes a thousand jobs and more, each with its answer in order", async () => {
      const items = Array.from({ length: 1_200 }, (_, number) => ({
        payload: { number },
        ...(number % 400 === 399 && { scheduledFor: new Date(Date.now() + 3_600_000) }),
      }));
      const added = await client.transaction(async (tx) => engine.addMany(bare, items, { tx }));
      expect(new Set(added.map(({ id }) => id)).size).toBe(1_200);
      expect(added.flatMap(({ status }, number) => (status === "scheduled" ? [number] : []))).toEqual([
        399, 799, 1_199,
      ]);
      expect(await engine.get(added[1_150]?.id ?? "")).toMatchObject({ payload: { number: 1_150 } });
    });

    test("is refused without one that is open", async () => {
      const before = await jobs();
      let ended: object = {};
      await client.transaction(async (tx) => {
        ended = tx;
        await order(tx);
      });
      for (const [what, tx] of Object.entries({ ...client.mistaken, "an ended one": ended })) {
        const error = await engine.add(bare, {}, { tx }).catch((thrown) => thrown);
        expect(error, what).toBeInstanceOf(TransactionError);
        expect(error.message, what).toMatch(/^The tx cannot be used\. [A-Z].*\.$/);
      }
      expect(await jobs()).toBe(before);
    });
  });

  describe(`a stage that ends in a transaction of ${name}`, () => {
    let worker: Engine;
    let events: RecordedEvents;

    beforeAll(async () => {
      worker = createEngine({ databaseUrl: db.url, pipelines: [errands], logger: null });
      events = recordEvents(worker);
      await worker.start();
    });
    afterAll(() => worker.stop());

    test("commits its output with the handler's own row, or fails without both", async () => {
      work = async ({ attempt, completeIn, assertLease }) =>
        client.transaction(async (tx) => {
          await assertLease(tx);
          await order(tx, attempt);
          await completeIn(tx, { attempt, text: "?$1'" });
          if (attempt === 1) throw new Error("after all, no");
          return "not looked at";
        });
      const { id } = await worker.add(errands, {});
      expect(await worker.result(id, { timeoutMs: 20_000 })).toEqual({ attempt: 2, text: "?$1'" });
      expect(await orders()).toEqual([2]);
      const { attempts = [] } = (await worker.get(id)) ?? {};
      expect(attempts.map(({ stage, outcome }) => `${stage} ${outcome}`)).toEqual([
        "run failed",
        "run done",
        "report done",
      ]);
      await events.next("job.advanced", ({ jobId }) => jobId === id);
    });

    test("fails its job with the handler's own row", async () => {
      work = async ({ failIn }) =>
        client.transaction(async (tx) => {
          await order(tx, 7);
          return await failIn(tx, new Error("?$1'"));
        });
      const { id } = await worker.add(errands, {});
      await events.next("job.failed", ({ jobId }) => jobId === id);
      expect(await worker.get(id)).toMatchObject({ status: "failed", error: { message: "?$1'" } });
      expect(await orders()).toEqual([7]);
    });

    test("rolls back when its claim is lost", async () => {
      const thrown: unknown[] = [];
      work = async ({ jobId, completeIn, failIn, assertLease }) => {
        await takeAway(db, jobId);
        for (const [number, refuse] of [assertLease, completeIn, failIn].entries()) {
          const lost = client.transaction(async (tx) => {
            await order(tx, number);
            await refuse(tx, null);
          });
          thrown.push(await lost.catch((error) => error));
        }
        return "too late";
      };
      const { id } = await worker.add(errands, {});
      await events.next("claim.lost", ({ jobId }) => jobId === id);
      expect(thrown).toEqual([1, 2, 3].map(() => expect.any(LeaseLostError)));
      expect(await orders()).toEqual([]);
      expect(await worker.get(id)).toMatchObject({ status: "cancelled", attempts: [{ outcome: "lost" }] });
    });
  });
}

/** Sweeps every worker as lost, and lets nobody run the job again. */
async function takeAway(db: TestDatabase, jobId: string): Promise<void> {
  await db.query("begin");
  await db.query("update lockstep.workers set lease_until = now() - interval '1 second'");
  await db.value("reset_stalled_jobs");
  await db.value("cancel_job", { p_id: jobId });
  await db.query("commit");
}
