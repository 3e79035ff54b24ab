// In real time: runners rest as long as they have worked.
import { randomUUID } from "node:crypto";
import { testDatabase } from "@lockstep/test-support";
import {
  type BulkAction,
  BulkActionError,
  type BulkRequest,
  createEngine,
  definePipeline,
  type Engine,
  JobFilterError,
} from "lockstep";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";

const db = testDatabase();
beforeEach(() => db.reset());

const letter = definePipeline("letter").stage("send", () => "sent");

function anEngine(): Engine {
  const engine = createEngine({ databaseUrl: db.url, pipelines: [letter], logger: null });
  onTestFinished(() => engine.stop());
  return engine;
}

const addLetters = (engine: Engine, count: number) =>
  engine.addMany(
    letter,
    Array.from({ length: count }, (_, number) => ({ payload: { number }, tags: number % 2 ? ["odd"] : [] })),
  );

async function finished(engine: Engine, id: string): Promise<BulkAction> {
  for (;;) {
    const bulk = await engine.bulk.get(id);
    if (bulk !== null && bulk.status !== "running") return bulk;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe("a bulk action", () => {
  test("is begun, stepped to its end by its caller, and shows how far it has come", async () => {
    const engine = anEngine();
    await addLetters(engine, 5);
    const odd: BulkRequest = { action: "cancel", filter: { pipeline: "letter", tag: "odd" } };
    expect(await engine.bulk.preview(odd)).toEqual({ value: 2, exact: true, capped: false });
    const begun = await engine.bulk.start({ ...odd, user: "ada" });
    expect(begun).toMatchObject({
      action: "cancel",
      filter: {
        pipeline: "letter",
        tag: "odd",
        statuses: ["scheduled", "pending", "processing", "retrying"],
      },
      ids: null,
      fromStage: null,
      status: "running",
      user: "ada",
      matched: { value: 2, exact: true },
      done: 0,
      finishedAt: null,
    });
    expect(await engine.bulk.step(begun.id, { batchSize: 1 })).toMatchObject({ status: "running", done: 1 });
    expect(await engine.bulk.step(begun.id, { batchSize: 10 })).toMatchObject({ status: "done", done: 2 });
    expect(await engine.bulk.abort(begun.id)).toBe("already_finished");
    expect(await engine.bulk.step(randomUUID())).toBeNull();
    expect((await engine.bulk.list()).map(({ id }) => id)).toEqual([begun.id]);
    expect(await engine.list({ status: "cancelled" })).toHaveLength(2);
  });

  test("of many is shared by two runners, and each job is done once", async () => {
    const [one, other] = [anEngine(), anEngine()];
    const added = await addLetters(one, 300);
    const cancelling = await one.bulk.start({ action: "cancel", filter: { pipeline: "letter" } });
    one.bulkRunner().start();
    other.bulkRunner().start();
    expect(await finished(one, cancelling.id)).toMatchObject({ done: 300, skipped: {}, failed: 0 });

    const retrying = await one.bulk.start({ action: "retry", ids: added.map(({ id }) => id) });
    expect(await finished(one, retrying.id)).toMatchObject({ ids: 300, done: 300, skipped: {}, failed: 0 });
    expect(
      await db.query(
        `select count(*)::int as jobs, max(cardinality(j.history)) as moves from lockstep.jobs j where j.status = 'pending'`,
      ),
    ).toEqual([{ jobs: 300, moves: 1 }]);
    expect(await one.verify()).toEqual([]);
  });

  test("that one process has left unfinished is finished by another", async () => {
    const [leaving, staying] = [anEngine(), anEngine()];
    await addLetters(leaving, 120);
    const { id } = await leaving.bulk.start({ action: "cancel", filter: { pipeline: "letter" } });
    await leaving.bulk.step(id);
    await leaving.stop();
    staying.bulkRunner().start();
    expect(await finished(staying, id)).toMatchObject({ status: "done", done: 120 });
  });

  test("is begun and aborted as a recorded act, and begins with its commit", async () => {
    const engine = anEngine();
    await addLetters(engine, 3);
    const act = (action: string) => ({ user: "ada", action });
    const bulk: BulkRequest = { action: "cancel", filter: { pipeline: "letter" } };
    const refused = engine.recorded(act("bulk.start"), async (writes) => {
      await writes.startBulk(bulk);
      throw new Error("on second thoughts");
    });
    await expect(refused).rejects.toThrow("on second thoughts");
    expect(await engine.bulk.list()).toEqual([]);

    const { answer } = await engine.recorded(act("bulk.start"), (writes) => writes.startBulk(bulk));
    expect(answer).toMatchObject({ user: "ada", matched: { value: 3 } });
    await engine.recorded(act("bulk.abort"), (writes) => writes.abortBulk(answer.id));
    expect(await engine.bulk.get(answer.id)).toMatchObject({ status: "aborted", done: 0 });
    expect(await engine.recordedActions()).toMatchObject([
      { action: "bulk.abort", target: `bulk-actions/${answer.id}`, outcome: "aborted" },
      { action: "bulk.start", outcome: "started", detail: { action: "cancel", matched: 3 } },
    ]);
  });
});

test.each([
  ["no filter and no ids", { action: "cancel" }, BulkActionError, "every job"],
  ["an empty filter", { action: "cancel", filter: {} }, BulkActionError, "every job"],
  ["another action", { action: "delete", ids: [randomUUID()] }, BulkActionError, '"cancel" or "retry"'],
  [
    "a stage of a cancel",
    { action: "cancel", ids: [randomUUID()], fromStage: "send" },
    BulkActionError,
    "stage",
  ],
  ["an unknown part", { action: "cancel", id: randomUUID() }, BulkActionError, 'Did you mean "ids"?'],
  ["an unknown filter", { action: "cancel", filter: { pipelin: "x" } }, JobFilterError, "pipeline"],
  ["no ids at all", { action: "cancel", ids: [] }, BulkActionError, "10,000"],
])("%s is refused, before anything begins", async (_case, bulk, kind, word) => {
  const engine = anEngine();
  const calls = [
    () => engine.bulk.start(bulk as BulkRequest),
    () => engine.bulk.preview(bulk as BulkRequest),
  ];
  for (const call of calls) {
    const refused = call();
    await expect(refused).rejects.toThrow(kind);
    await expect(refused).rejects.toThrow(word);
  }
});
