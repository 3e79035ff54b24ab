import { createEngine } from "lockstep";
import { expect, test } from "vitest";
import { costOf } from "./cost-of.ts";
import { addJobs, drain, jobs, oneStage, payload, threeStages } from "./counted-work.ts";
import { quietDatabase } from "./quiet-database.ts";

const db = quietDatabase();

test("a drained job costs at most a hundredth of a transaction", async () => {
  const count = 20_000;
  await addJobs(db, oneStage, jobs(count));
  const { transactions } = await costOf(db, () => drain(db, oneStage, count));
  expect(transactions / count).toBeLessThanOrEqual(0.01);
});

test("a job drained through three stages costs at most two hundredths of a transaction", async () => {
  const count = 8_000;
  await addJobs(db, threeStages, jobs(count));
  const { transactions } = await costOf(db, () => drain(db, threeStages, count));
  expect(transactions / count).toBeLessThanOrEqual(0.02);
});

test("10,000 jobs added at once cost one transaction, and some to know their pipeline", async () => {
  const { transactions } = await costOf(db, () => addJobs(db, oneStage, jobs(10_000)));
  expect(transactions).toBeLessThanOrEqual(10);
});

test("what ten callers add one by one travels together, about ten jobs to a transaction", async () => {
  const addsPerCaller = 200;
  const { transactions } = await costOf(db, async () => {
    const engine = createEngine({ databaseUrl: db.url, pipelines: [oneStage], logger: null });
    const addOneByOne = async () => {
      for (let add = 0; add < addsPerCaller; add += 1) await engine.add(oneStage, payload);
    };
    await Promise.all(Array.from({ length: 10 }, addOneByOne));
    await engine.stop();
  });
  expect(transactions / (10 * addsPerCaller)).toBeLessThanOrEqual(0.15);
});
