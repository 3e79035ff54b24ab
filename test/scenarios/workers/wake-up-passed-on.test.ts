// In real time: what is told is how soon a job begins, though hardly anybody polls.

import { testDatabase } from "@lockstep/test-support";
import { createEngine, definePipeline, type Engine } from "lockstep";
import { expect, onTestFinished, test } from "vitest";
import { until } from "../stories/until.ts";

const db = testDatabase();

test("a crowd of long jobs reaches all workers that sleep, and one that is full keeps no wake-up to itself", async () => {
  const finish: (() => void)[] = [];
  const running = new Set<Engine>();
  const engines = Array.from({ length: 12 }, () => {
    const long = definePipeline("long").stage("only", { processors: 1 }, () => {
      running.add(engine);
      return new Promise<void>((resolve) => finish.push(resolve));
    });
    const engine: Engine = createEngine({
      databaseUrl: db.url,
      pipelines: [long],
      logger: null,
      pollIntervalMs: 3_600_000,
    });
    return engine;
  });
  onTestFinished(async () => {
    for (const end of finish) end();
    await Promise.all(engines.map((engine) => engine.stop()));
  });
  await Promise.all(engines.map((engine) => engine.start()));
  const sleepers = async () => {
    const [row] = await db.query<{ count: number }>(
      "select count(*)::int from lockstep.workers where cardinality(waiting_stage_ids) = 1",
    );
    return row?.count;
  };
  await until("all of them sleep", async () => (await sleepers()) === engines.length);

  // One call wakes eight at most.
  await db.call("add_jobs", { p_jobs: Array.from({ length: 11 }, () => ({ pipeline: "long" })) });
  await until("eleven run", async () => running.size === 11, { limitMs: 10_000 });
  await db.call("add_job", { p_pipeline: "long", p_payload: {} });
  await until("the twelfth runs, too", async () => running.size === 12, { limitMs: 10_000 });
  expect(finish).toHaveLength(12);
});
