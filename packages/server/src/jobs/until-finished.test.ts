import { getEventListeners } from "node:events";
import { JobFactory, testDatabase } from "@lockstep/test-support";
import { createEngine } from "lockstep";
import { afterAll, beforeAll, expect, test } from "vitest";
import { untilFinished } from "./until-finished.ts";

const db = testDatabase();
const jobs = new JobFactory(db);
const engine = createEngine({ databaseUrl: db.url, logger: null });
beforeAll(() => jobs.aPipeline("orders", ["read"]));
afterAll(() => engine.stop());

test("whoever has waited leaves no listener behind, whether the job ended, the time was over or a signal came", async () => {
  const id = await jobs.aPendingJob();
  const [stopping, gone] = [new AbortController(), new AbortController()];
  const signals = [stopping.signal, gone.signal];
  const listeners = () => signals.map((signal) => getEventListeners(signal, "abort").length);

  await untilFinished(engine, id, 0, signals);
  expect(listeners()).toEqual([0, 0]);

  const waiting = untilFinished(engine, id, 60_000, signals);
  expect(listeners()).toEqual([1, 1]);
  gone.abort();
  await waiting;
  expect(listeners()).toEqual([0, 0]);

  await untilFinished(engine, id, 60_000, signals);
  await db.value("cancel_job", { p_id: id });
  await untilFinished(engine, id, 60_000, [stopping.signal]);
  expect(listeners()).toEqual([0, 0]);
});
