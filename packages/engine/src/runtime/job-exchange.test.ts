import { randomUUID } from "node:crypto";
import { encodedJob, recordEvents, testDatabase } from "@lockstep/test-support";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../clock.ts";
import { EngineEvents } from "../events/engine-events.ts";
import type { Outcome } from "../jobs/outcome.ts";
import { definePipeline } from "../jobs/pipeline.ts";
import type { Claim, StageRequest } from "../store/claim.ts";
import { Database } from "../store/database.ts";
import { DatabaseUnavailableError } from "../store/database-error.ts";
import { JobStore } from "../store/job-store.ts";
import type { Exchange } from "../store/settle-and-claim.ts";
import { JobExchange } from "./job-exchange.ts";
import { JobSettler } from "./job-settler.ts";
import { PipelineRegistrar } from "./pipeline-registrar.ts";
import type { WorkStage } from "./work-stage.ts";

const db = testDatabase();
const database = new Database({
  url: db.url,
  connections: 2,
  transactionPooler: false,
  applicationName: "lockstep exchange test",
  onDown: () => {},
  onUp: () => {},
});
const store = new JobStore(database);
afterAll(() => database.close(systemClock));

const orders = definePipeline("orders")
  .stage("read", () => 1)
  .stage("send", () => 2);
let [read, send]: [WorkStage, WorkStage] = [] as never;
let workerId: string;

beforeEach(async () => {
  await db.reset();
  const registrar = new PipelineRegistrar({ pipelines: [orders], store, clock: systemClock });
  [read, send] = (await registrar.register()) as [WorkStage, WorkStage];
  workerId = randomUUID();
  const stages = ["orders/read", "orders/send"];
  await store.registerWorker({
    workerId,
    name: "w",
    leaseMs: 30_000,
    stages,
    host: "h",
    pid: 1,
    version: "1",
  });
});

type Fault = (answer: Promise<Exchange>) => Promise<Exchange>;

/** An exchange with the real store, whose calls may go wrong as told, each once. */
function anExchange(faults: Fault[] = []) {
  const events = new EngineEvents();
  const settler = new JobSettler(events);
  const confirmed: string[] = [];
  let doubts = 0;
  const exchange = new JobExchange({
    store: {
      settleAndClaim: (...call) => {
        const fault = faults.shift();
        return fault === undefined ? store.settleAndClaim(...call) : fault(store.settleAndClaim(...call));
      },
    },
    settler,
    workerId: () => workerId,
    onDoubt: () => {
      doubts += 1;
    },
    onConfirmed: ({ claim }) => void confirmed.push(claim.jobId),
  });
  return { exchange, settler, confirmed, doubts: () => doubts, told: recordEvents(events) };
}

const replyLost: Fault = async (answer) => {
  await answer;
  throw new DatabaseUnavailableError(new Error("Connection terminated unexpectedly"));
};

function request(stage: WorkStage, room: number, keep = 0): StageRequest {
  return { stageId: stage.id, room, keep, places: new Array(20).fill(0), scan: 2, dueAfter: null };
}

async function aClaim(payload: unknown = null): Promise<Claim> {
  await store.add([encodedJob({ pipeline: "orders", payload })], false);
  const { claims } = await store.settleAndClaim(workerId, [], [request(read, 1)]);
  const [claim] = claims;
  if (claim === undefined) throw new Error("Nothing was there to be claimed.");
  return claim;
}

function done(value: unknown): Outcome {
  return { kind: "done", value };
}

describe("one call", () => {
  test("carries the ends of tries and brings new claims", async () => {
    const { exchange, settler, confirmed } = anExchange();
    const ended = await aClaim();
    settler.settle(ended, read, done(1), 5, null);
    await store.add([encodedJob({ pipeline: "orders" })], false);
    const answer = await exchange.send(settler.take(), [request(read, 5)]);
    expect(answer?.claims).toHaveLength(1);
    expect(confirmed).toEqual([ended.jobId]);
    expect(await store.get(ended.jobId)).toMatchObject({ stage: "send", outputs: { read: 1 } });
  });

  test("keeps as many jobs for their next stage as it may, and the others wait there", async () => {
    const { exchange, settler } = anExchange();
    for (let job = 0; job < 3; job += 1) settler.settle(await aClaim(), read, done(job), 5, null);
    const answer = await exchange.send(settler.take(), [request(send, 0, 2)]);
    expect(answer?.settled.map(({ keptUnder }) => typeof keptUnder)).toEqual(["string", "string"]);
    expect(answer?.claims).toEqual([]);
  });

  test("keeps nothing where the next stage asks for nothing", async () => {
    const { exchange, settler } = anExchange();
    settler.settle(await aClaim(), read, done(1), 5, null);
    expect((await exchange.send(settler.take(), [request(read, 1)]))?.settled).toEqual([]);
  });

  test("keeps no job that failed", async () => {
    const { exchange, settler } = anExchange();
    const error = { name: "Error", message: "oh" };
    settler.settle(await aClaim(), read, { kind: "retry", error, afterMs: null }, 5, null);
    expect((await exchange.send(settler.take(), [request(send, 1, 1)]))?.settled).toMatchObject([
      { status: "retrying", keptUnder: null },
    ]);
  });
});

describe("when the reply is lost", () => {
  test("the ends are put back, and the database recognises them when they are sent again", async () => {
    const { exchange, settler, confirmed, told } = anExchange([replyLost]);
    const { jobId } = await aClaim().then((claim) => {
      settler.settle(claim, read, done(1), 5, null);
      return claim;
    });
    await expect(exchange.send(settler.take(), [])).rejects.toThrow(DatabaseUnavailableError);
    expect(confirmed).toEqual([]);
    const tries = settler.take();
    const answer = await exchange.send(tries, []);
    expect(answer?.settled).toMatchObject([{ jobId, answer: "already_applied" }]);
    settler.confirm(tries, answer?.settled ?? []);
    expect([confirmed, told.names()]).toEqual([[jobId], []]);
    expect((await store.get(jobId))?.attempts).toHaveLength(1);
  });

  test("to a claim, what the database may hold for us is in doubt", async () => {
    const { exchange, doubts } = anExchange([replyLost]);
    await expect(exchange.send([], [request(read, 1)])).rejects.toThrow(DatabaseUnavailableError);
    expect(doubts()).toBe(1);
  });

  test("to ends alone, nothing is in doubt", async () => {
    const { exchange, settler, doubts } = anExchange([replyLost]);
    settler.settle(await aClaim(), read, done(1), 5, null);
    await expect(exchange.send(settler.take(), [])).rejects.toThrow(DatabaseUnavailableError);
    expect(doubts()).toBe(0);
  });
});

describe("an end that cannot be stored", () => {
  beforeEach(async () => {
    await db.query(
      "alter table lockstep.jobs add constraint no_such_output check (outputs::text not like '%refuse me%')",
    );
  });
  afterEach(async () => {
    await db.query("alter table lockstep.jobs drop constraint no_such_output");
  });

  test("fails alone: its neighbours are settled, and its own failure is recorded", async () => {
    const { exchange, settler, confirmed, told } = anExchange();
    const [before, bad, after] = [await aClaim(), await aClaim(), await aClaim()];
    settler.settle(before, read, done("fine"), 5, null);
    settler.settle(bad, read, done("refuse me"), 5, null);
    settler.settle(after, read, done("fine too"), 5, null);
    await expect(exchange.send(settler.take(), [])).rejects.toThrow(/no_such_output/);
    expect(confirmed).toEqual([before.jobId]);
    const rest = settler.take();
    settler.confirm(rest, (await exchange.send(rest, []))?.settled ?? []);
    expect(await store.get(before.jobId)).toMatchObject({ stage: "send", outputs: { read: "fine" } });
    expect(await store.get(after.jobId)).toMatchObject({ stage: "send", outputs: { read: "fine too" } });
    expect(await store.get(bad.jobId)).toMatchObject({ status: "failed", error: { code: "invalid_output" } });
    expect(told.all("job.failed")).toMatchObject([{ jobId: bad.jobId }]);
  });

  test("does not cost the others their claim when the database goes away in between", async () => {
    const broken: Fault = async (answer) => {
      await answer.catch(() => {});
      throw new DatabaseUnavailableError(new Error("gone"));
    };
    const { exchange, settler } = anExchange([(answer) => answer, broken]);
    const [bad, good] = [await aClaim(), await aClaim()];
    settler.settle(bad, read, done("refuse me"), 5, null);
    settler.settle(good, read, done("fine"), 5, null);
    await expect(exchange.send(settler.take(), [])).rejects.toThrow(DatabaseUnavailableError);
    expect(settler.take().map(({ claim, outcome }) => [claim.jobId, outcome.kind])).toEqual([
      [bad.jobId, "done"],
      [good.jobId, "done"],
    ]);
  });
});
