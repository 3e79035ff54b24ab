// In real time: only a real process can be killed.
import { childProgram, testDatabase } from "@lockstep/test-support";
import { createEngine } from "lockstep";
import { expect, onTestFinished, test } from "vitest";
import { endLease } from "../processes/end-lease.ts";
import { verifyAfterEach } from "../stories/verify-after-each.ts";

const db = testDatabase();
verifyAfterEach(db);

const size = 20;

/** A worker whose batch handler says how many jobs it was called with, and then answers, or never does. */
async function startWorker({ answers }: { answers: boolean }) {
  const program = childProgram(`
    import { createEngine, definePipeline } from "lockstep";
    const embed = definePipeline("embed").stage("embed", { batch: { size: ${size}, waitMs: 200 } }, async (jobs) => {
      console.log(jobs.length);
      if (!${answers}) await new Promise(() => {});
      return jobs.map(({ payload }) => payload * 2);
    });
    const engine = createEngine({ databaseUrl: ${JSON.stringify(db.url)}, pipelines: [embed], logger: null });
    engine.on("engine.started", ({ workerId }) => console.log(workerId));
    await engine.start();
  `);
  return { workerId: await program.nextLine(), program };
}

test("each job of a call whose worker is killed counts its own loss, and is done by another worker", async () => {
  const client = createEngine({ databaseUrl: db.url, logger: null });
  onTestFinished(() => client.stop());
  const killed = await startWorker({ answers: false });
  const added = await client.addMany(
    "embed",
    Array.from({ length: size }, (_, payload) => ({ payload })),
  );
  expect(await killed.program.nextLine()).toBe(String(size));

  killed.program.kill("SIGKILL");
  await endLease(db, killed);
  await startWorker({ answers: true });
  const results = await Promise.all(added.map(({ id }) => client.result(id, { timeoutMs: 60_000 })));
  expect(results).toEqual(Array.from({ length: size }, (_, payload) => payload * 2));
  for (const { id } of added) {
    const job = await client.get(id);
    expect(job?.attempts.map(({ attempt, outcome }) => [attempt, outcome])).toEqual([
      [1, "lost"],
      [1, "done"],
    ]);
  }
}, 120_000);
