import { recordEvents, testDatabase } from "@lockstep/test-support";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createEngine, type Engine } from "../../engine.ts";
import { definePipeline } from "../../jobs/pipelines/pipeline.ts";
import { openTransaction } from "./open-transaction.ts";
import { TransactionError } from "./transaction-error.ts";

const db = testDatabase();
const orders = definePipeline<unknown>("orders").stage("read", () => null);
let engine: Engine;

beforeAll(() => {
  engine = createEngine({ databaseUrl: db.url, pipelines: [orders], logger: null });
});
afterAll(() => engine.stop());

describe("what is no transaction is refused with a sentence", () => {
  test.each<[string, unknown, RegExp]>([
    ["nothing", undefined, /It is undefined, and must be an open transaction of pg, .* leave it out\.$/],
    ["null", null, /It is null, /],
    ["a text", "begin", /It is begin, /],
    ["an object", {}, /It is not known here, and must be an open transaction of pg, /],
    ["a function", () => {}, /It is not known here/],
    ["an object with a query function", { query: () => {} }, /It is not known here/],
  ])("%s", (_, tx, sentence) => {
    expect(() => openTransaction(tx, "lockstep")).toThrow(TransactionError);
    expect(() => openTransaction(tx, "lockstep")).toThrow(sentence);
  });

  test("also when the option is there and its value is not", async () => {
    await expect(engine.add(orders, {}, { tx: undefined })).rejects.toThrow(TransactionError);
    await expect(engine.addMany(orders, [{ payload: 1 }], { tx: undefined })).rejects.toThrow(
      TransactionError,
    );
    expect(await engine.list()).toEqual([]);
  });

  test("a misspelt tx is not passed over", async () => {
    const trx = {};
    await expect(engine.add(orders, {}, { trx } as object)).rejects.toThrow(
      'Unknown option "trx" of an add. Did you mean "tx"?',
    );
    await expect(engine.addMany(orders, [], { trx } as object)).rejects.toThrow(
      'Unknown option "trx" of addMany. Did you mean "tx"?',
    );
    const items = [{ payload: 1, tx: trx }];
    await expect(engine.addMany(orders, items)).rejects.toThrow(
      "tx is for the whole call: addMany(pipeline, items, { tx }).",
    );
  });
});

describe("a transaction of pg", () => {
  test("that has failed is refused, and can still be rolled back", async () => {
    const tx = await db.connect();
    await tx.query("begin");
    await expect(tx.query("select 1 / 0")).rejects.toThrow("division by zero");
    // pg tells of an error before it learns what became of the transaction; by the next statement it knows.
    await expect(tx.query("select 1")).rejects.toThrow("aborted");
    await expect(engine.add(orders, {}, { tx })).rejects.toThrow(
      "The tx cannot be used. A statement in it has failed, so that it can only be rolled back.",
    );
    await tx.query("rollback");
  });

  test("whose client cannot tell is looked at by PostgreSQL", async () => {
    // As in versions of pg that have no such function.
    const tx = await db.connect();
    Object.assign(tx, { getTransactionStatus: undefined });
    await expect(engine.add(orders, {}, { tx })).rejects.toThrow(
      "The tx cannot be used. This transaction of pg was committed or rolled back already.",
    );
    await tx.query("begin");
    const { id } = await engine.add(orders, {}, { tx });
    await tx.query("commit");
    expect(await engine.get(id)).toMatchObject({ status: "pending" });
  });

  test("passes the caller's own errors on as they are", async () => {
    const tx = await db.connect();
    await tx.query("begin isolation level serializable read only");
    await expect(engine.add(orders, {}, { tx })).rejects.toBeInstanceOf(pg.DatabaseError);
    await tx.query("rollback");
  });

  test("is not told as added, since it may roll back, and wakes a sleeping worker at its commit", async () => {
    const worker = createEngine({ databaseUrl: db.url, pipelines: [orders], logger: null });
    const events = recordEvents(worker);
    try {
      await worker.start();
      const tx = await db.connect();
      await tx.query("begin");
      const { id } = await worker.add(orders, {}, { tx });
      await tx.query("commit");
      await events.next("job.completed", ({ jobId }) => jobId === id);
      expect(events.all("job.added")).toEqual([]);
    } finally {
      await worker.stop();
    }
  });
});
