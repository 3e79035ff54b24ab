import { JobFactory, ManualClock, noon, recordEvents, testDatabase } from "@lockstep/test-support";
import { afterAll, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../clock.ts";
import { EngineEvents } from "../../events/engine-events.ts";
import { fanOut, fanOutOf } from "../../jobs/adding/fan-out.ts";
import { definePipeline } from "../../jobs/pipelines/pipeline.ts";
import { workStagesOf } from "../../jobs/pipelines/work-stage.ts";
import { BatchStore } from "../../store/adding/batch-store.ts";
import { Database } from "../../store/connections/database.ts";
import { DatabaseUnavailableError } from "../../store/connections/database-error.ts";
import { noBudgets } from "../../test-support/no-budgets.ts";
import { noStreams } from "../../test-support/no-streams.ts";
import { targetAt } from "../../test-support/target-at.ts";
import { FanOuts } from "./fan-outs.ts";
import { JobRun } from "./job-run.ts";

const db = testDatabase();
const jobs = new JobFactory(db);
const database = new Database({
  target: targetAt(db.url),
  connections: 2,
  transactionPooler: false,
  applicationName: "lockstep fan-outs test",
});
const batches = new BatchStore(database);
afterAll(() => database.close(systemClock));
beforeEach(() => db.reset());

const page = definePipeline<number>("page").stage("print", () => null);
const book = definePipeline("book")
  .stage("split", () => null)
  .stage("bind", () => null);

/** An attempt of the stage that fans out, held in the database; its calls go through `send`. */
async function aTry(
  send: (write: () => ReturnType<BatchStore["fanOut"]>) => ReturnType<BatchStore["fanOut"]>,
) {
  await jobs.aPipeline("page", ["print"]);
  const ids = await jobs.aPipeline("book", ["split", "bind"]);
  const worker = await jobs.aWorker();
  const { id, claim_token } = await jobs.aClaimedJob({ pipeline: "book", by: worker, stage: "book/split" });
  const clock = new ManualClock();
  const events = new EngineEvents();
  const store = {
    childrenOf: batches.childrenOf.bind(batches),
    fanOut: (write: Parameters<BatchStore["fanOut"]>[0]) => send(() => batches.fanOut(write)),
  };
  const fanOuts = new FanOuts({ store, clock, events, onAdded: () => {} });
  const [stage] = workStagesOf(book, new Map(Object.entries(ids)));
  if (stage === undefined) throw new Error("The pipeline has a stage.");
  const claim = { jobId: id, stageId: stage.id, token: claim_token, attempt: 1, priority: 10, position: 1 };
  const run = new JobRun({ ...claim, owner: null, tags: [], payload: null, outputs: {}, more: null }, stage, {
    clock,
    events,
    progress: { report: () => {}, reportLog: () => {} },
    tempFolders: { create: async () => "", remove: async () => {} },
    schema: "lockstep",
    effectsOf: () => ({ once: async () => undefined }),
    streams: noStreams,
    budgets: noBudgets,
    graceMs: 1_000,
    onEndedIn: () => {},
    setSignalKey: async () => "applied",
    fanOuts,
  });
  const children = Array.from({ length: 1_200 }, (_, payload) => ({ payload }));
  const wanted = fanOutOf(fanOut(page, children));
  if (wanted === null) throw new Error("A fan-out is one.");
  return { clock, run, told: recordEvents(events), write: () => fanOuts.write(run, wanted) };
}

const unavailable = () => new DatabaseUnavailableError({ code: "08006" });
const pagesThere = async () =>
  (await db.query("select from lockstep.jobs where batch_id is not null")).length;

test("a fan-out whose reply was lost is sent again, and its children are there once", async () => {
  let sendings = 0;
  const { clock, run, write } = await aTry(async (send) => {
    sendings += 1;
    const answer = await send();
    if (sendings === 1) throw unavailable();
    return answer;
  });
  const ended = write();
  await clock.whenAsleep();
  await clock.advance(1_000);
  expect(await ended).toEqual({ kind: "done", value: undefined });
  expect(sendings).toBe(2);
  expect(await pagesThere()).toBe(1_200);
  expect(await jobs.read(run.jobId)).toMatchObject({ stage: "bind", status: "scheduled" });
  expect(await db.call("verify", { p_now: noon })).toEqual([]);
});

test("an attempt that is told to stop while the database is away is given back", async () => {
  const { run, write } = await aTry(async () => {
    run.abort("shutdown");
    throw unavailable();
  });
  expect(await write()).toEqual({ kind: "release" });
  expect(await pagesThere()).toBe(0);
});

test("a fan-out that is written tells that the job went on", async () => {
  const { told, write } = await aTry((send) => send());
  await write();
  expect(told.all("job.advanced")).toMatchObject([{ stage: "split", nextStage: "bind" }]);
});
