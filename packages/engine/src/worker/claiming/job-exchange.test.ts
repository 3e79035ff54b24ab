import { randomUUID } from "node:crypto";
import { encodedJob, forgetClaims, recordEvents, testDatabase } from "@lockstep/test-support";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { PipelineRegistrar } from "../../client/schema/pipeline-registrar.ts";
import { systemClock } from "../../clock.ts";
import { EngineEvents } from "../../events/engine-events.ts";
import type { Outcome } from "../../jobs/outcomes/outcome.ts";
import { definePipeline } from "../../jobs/pipelines/pipeline.ts";
import type { WorkStage } from "../../jobs/pipelines/work-stage.ts";
import { Database } from "../../store/connections/database.ts";
import { DatabaseUnavailableError } from "../../store/connections/database-error.ts";
import { Stores } from "../../store/stores.ts";
import type { Claim, StageRequest } from "../../store/working/claim.ts";
import type { Exchange } from "../../store/working/settle-and-claim.ts";
import { targetAt } from "../../test-support/target-at.ts";
import { JobExchange } from "./job-exchange.ts";
import { JobSettler } from "./job-settler.ts";

const db = testDatabase();
const database = new Database({
  target: targetAt(db.url),
  connections: 2,
  transactionPooler: false,
  applicationName: "lockstep exchange test",
});
const stores = new Stores(database);
afterAll(() => database.close(systemClock));

const orders = definePipeline("orders")
  .stage("read", () => 1)
  .stage("send", () => 2);
let [read, send]: [WorkStage, WorkStage] = [] as never;
let workerId: string;

beforeEach(async () => {
  await db.reset();
  const registrar = new PipelineRegistrar({
    pipelines: [orders],
    store: stores.pipelines,
    schema: stores.schema,
    clock: systemClock,
  });
  [read, send] = (await registrar.register()) as [WorkStage, WorkStage];
  workerId = randomUUID();
  const stages = ["orders/read", "orders/send"];
  await stores.workers.register({
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
        return fault === undefined
          ? stores.claims.settleAndClaim(...call)
          : fault(stores.claims.settleAndClaim(...call));
      },
      presentClaims: (...call) => stores.claims.presentClaims(...call),
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
  await stores.adding.add([encodedJob({ pipeline: "orders", payload })], false);
  const { claims } = await stores.claims.settleAndClaim(workerId, [], [request(read, 1)]);
  const [claim] = claims;
  if (claim === undefined) throw new Error("Nothing was there to be claimed.");
  return claim;
}

function done(value: unknown): Outcome {
  return { kind: "done", value };
}

describe("one call", () => {
  test("carries the ends of attempts and brings new claims", async () => {
    const { exchange, settler, confirmed } = anExchange();
    const ended = await aClaim();
    settler.add(ended, read, done(1), 5, null);
    await stores.adding.add([encodedJob({ pipeline: "orders" })], false);
    const answer = await exchange.send(settler.take(), [request(read, 5)]);
    expect(answer?.claims).toHaveLength(1);
    expect(confirmed).toEqual([ended.jobId]);
    expect(await stores.jobs.get(ended.jobId)).toMatchObject({ stage: "send", outputs: { read: 1 } });
  });

  test("keeps as many jobs for their next stage as it may, and the others wait there", async () => {
    const { exchange, settler } = anExchange();
    for (let job = 0; job < 3; job += 1) settler.add(await aClaim(), read, done(job), 5, null);
    const answer = await exchange.send(settler.take(), [request(send, 0, 2)]);
    expect(answer?.settled.map(({ keptUnder }) => typeof keptUnder)).toEqual(["string", "string"]);
    expect(answer?.claims).toEqual([]);
  });

  test("keeps nothing where the next stage asks for nothing", async () => {
    const { exchange, settler } = anExchange();
    settler.add(await aClaim(), read, done(1), 5, null);
    expect((await exchange.send(settler.take(), [request(read, 1)]))?.settled).toEqual([]);
  });

  test("keeps no job that failed", async () => {
    const { exchange, settler } = anExchange();
    const error = { name: "Error", message: "oh" };
    settler.add(await aClaim(), read, { kind: "retry", error, afterMs: null }, 5, null);
    expect((await exchange.send(settler.take(), [request(send, 1, 1)]))?.settled).toMatchObject([
      { status: "retrying", keptUnder: null },
    ]);
  });
});

describe("when the reply is lost", () => {
  test("the ends are put back, and the database recognises them when they are sent again", async () => {
    const { exchange, settler, confirmed, told } = anExchange([replyLost]);
    const { jobId } = await aClaim().then((claim) => {
      settler.add(claim, read, done(1), 5, null);
      return claim;
    });
    await expect(exchange.send(settler.take(), [])).rejects.toThrow(DatabaseUnavailableError);
    expect(confirmed).toEqual([]);
    const tries = settler.take();
    const answer = await exchange.send(tries, []);
    expect(answer?.settled).toMatchObject([{ jobId, answer: "already_applied" }]);
    settler.confirm(tries, answer?.settled ?? []);
    expect([confirmed, told.names()]).toEqual([[jobId], []]);
    expect((await stores.jobs.get(jobId))?.attempts).toHaveLength(1);
  });

  test("to a claim, what the database may hold for us is in doubt", async () => {
    const { exchange, doubts } = anExchange([replyLost]);
    await expect(exchange.send([], [request(read, 1)])).rejects.toThrow(DatabaseUnavailableError);
    expect(doubts()).toBe(1);
  });

  test("to ends alone, nothing is in doubt", async () => {
    const { exchange, settler, doubts } = anExchange([replyLost]);
    settler.add(await aClaim(), read, done(1), 5, null);
    await expect(exchange.send(settler.take(), [])).rejects.toThrow(DatabaseUnavailableError);
    expect(doubts()).toBe(0);
  });
});

describe("when PostgreSQL has crashed and forgotten claims", () => {
  test("ends are sent again under the claims, which hold again, and are told as what they are", async () => {
    const { exchange, settler, confirmed, told } = anExchange();
    const [first, second] = [await aClaim(), await aClaim()];
    settler.add(first, read, done(1), 5, null);
    settler.add(second, read, { kind: "snooze", forMs: 60 }, 5, null);
    await forgetClaims(db);
    const tries = settler.take();
    const answer = await exchange.send(tries, []);
    settler.confirm(tries, answer?.settled ?? []);
    expect(confirmed).toEqual([first.jobId, second.jobId]);
    expect(told.names()).toEqual(["job.advanced", "job.snoozed"]);
    expect(await stores.jobs.get(first.jobId)).toMatchObject({ stage: "send", outputs: { read: 1 } });
    expect(await stores.jobs.get(second.jobId)).toMatchObject({ stage: "read", status: "scheduled" });
    expect(await stores.schema.verify()).toEqual([]);
  });

  test("an end whose job another has claimed since is lost, and the others are not", async () => {
    const { exchange, settler, told } = anExchange();
    const [kept, taken] = [await aClaim(), await aClaim()];
    settler.add(kept, read, done(1), 5, null);
    settler.add(taken, read, done(1), 5, null);
    await forgetClaims(db);
    await db.query(
      `update lockstep.jobs
       set status = 'processing', claim_token = gen_random_uuid(), worker_id = $2, held_by = $2,
         claimed_at = now(), attempt = 1
       where id = $1`,
      [taken.jobId, randomUUID()],
    );
    const tries = settler.take();
    settler.confirm(tries, (await exchange.send(tries, []))?.settled ?? []);
    expect(told.all("claim.lost")).toEqual([{ jobId: taken.jobId, stage: "read", status: "processing" }]);
    expect(told.all("job.advanced")).toMatchObject([{ jobId: kept.jobId }]);
  });

  test("and the reply to what is sent again is lost, the ends are put back and recognised", async () => {
    const { exchange, settler } = anExchange([(answer) => answer, replyLost]);
    const claim = await aClaim();
    settler.add(claim, read, done(1), 5, null);
    await forgetClaims(db);
    await expect(exchange.send(settler.take(), [])).rejects.toThrow(DatabaseUnavailableError);
    const answer = await exchange.send(settler.take(), []);
    expect(answer?.settled).toMatchObject([{ jobId: claim.jobId, answer: "already_applied" }]);
    expect(await stores.jobs.get(claim.jobId)).toMatchObject({ stage: "send" });
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
    settler.add(before, read, done("fine"), 5, null);
    settler.add(bad, read, done("refuse me"), 5, null);
    settler.add(after, read, done("fine too"), 5, null);
    await expect(exchange.send(settler.take(), [])).rejects.toThrow(/no_such_output/);
    expect(confirmed).toEqual([before.jobId]);
    const rest = settler.take();
    settler.confirm(rest, (await exchange.send(rest, []))?.settled ?? []);
    expect(await stores.jobs.get(before.jobId)).toMatchObject({ stage: "send", outputs: { read: "fine" } });
    expect(await stores.jobs.get(after.jobId)).toMatchObject({
      stage: "send",
      outputs: { read: "fine too" },
    });
    expect(await stores.jobs.get(bad.jobId)).toMatchObject({
      status: "failed",
      error: { code: "invalid_output" },
    });
    expect(told.all("job.failed")).toMatchObject([{ jobId: bad.jobId }]);
  });

  test("does not cost the others their claim when the database goes away in between", async () => {
    const broken: Fault = async (answer) => {
      await answer.catch(() => {});
      throw new DatabaseUnavailableError(new Error("gone"));
    };
    const { exchange, settler } = anExchange([(answer) => answer, broken]);
    const [bad, good] = [await aClaim(), await aClaim()];
    settler.add(bad, read, done("refuse me"), 5, null);
    settler.add(good, read, done("fine"), 5, null);
    await expect(exchange.send(settler.take(), [])).rejects.toThrow(DatabaseUnavailableError);
    expect(settler.take().map(({ claim, outcome }) => [claim.jobId, outcome.kind])).toEqual([
      [bad.jobId, "done"],
      [good.jobId, "done"],
    ]);
  });
});
