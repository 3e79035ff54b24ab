// In real time: only real processes can be killed.
import { childProgram, testDatabase } from "@lockstep/test-support";
import { createEngine } from "lockstep";
import { expect, onTestFinished, test } from "vitest";
import { endLease } from "../processes/end-lease.ts";
import { until } from "../stories/until.ts";
import { verifyAfterEach } from "../stories/verify-after-each.ts";

const db = testDatabase();
verifyAfterEach(db);

/** A worker of jobs that reserve 60 of 100 and spend 10, and 5 more in an effect; one that lingers does not end them. */
async function startWorker({ lingers = false }: { lingers?: boolean } = {}) {
  const program = childProgram(`
    import { budget, createEngine, definePipeline } from "lockstep";
    const tokens = budget("tokens", { per: "total", limit: 100 });
    const asks = definePipeline("asks", { budgets: [tokens] }).stage("ask", { processors: 2, spends: { tokens: 60 } }, async ({ jobId, spend, once }) => {
      await once("ask", async (effect) => { effect.spend("tokens", 5); return "kept"; });
      await spend("tokens", 10);
      console.log(jobId);
      if (${lingers}) await new Promise(() => setInterval(() => {}, 1_000));
    });
    const engine = createEngine({ databaseUrl: ${JSON.stringify(db.url)}, pipelines: [asks], logger: null });
    engine.on("engine.started", ({ workerId }) => console.log(workerId));
    await engine.start();
  `);
  return { program, workerId: await program.nextLine() };
}

test("what a killed worker has reserved is free again, and what it reported stays spent", async () => {
  const { program, workerId } = await startWorker({ lingers: true });
  const engine = createEngine({ databaseUrl: db.url, logger: null });
  onTestFinished(() => engine.stop());
  const added = await engine.addMany("asks", [{ payload: null }, { payload: null }]);
  const runningId = await program.nextLine();
  const [waitingId] = added.map(({ id }) => id).filter((id) => id !== runningId);
  if (waitingId === undefined) throw new Error("There are two jobs.");
  await until("the other job waits for the budget", async () =>
    (await engine.explain(waitingId)).some(({ reason }) => reason === "budget"),
  );
  const usage = async () => (await engine.budgetUsage("tokens"))[0];
  expect(await usage()).toMatchObject({ spent: 15, reserved: 45, waiting: 1 });

  program.kill("SIGKILL");
  await program.ended;
  await endLease(db, { workerId });
  await startWorker();
  await until("both are completed", async () =>
    (await Promise.all(added.map(({ id }) => engine.get(id)))).every((job) => job?.status === "completed"),
  );
  // 15 by the lost attempt; 10 by the next one, for which the effect is kept; 15 by the other job.
  expect(await usage()).toMatchObject({ spent: 40, reserved: 0, waiting: 0 });
}, 120_000);
