import { expect, test } from "vitest";
import { costOf } from "./cost-of.ts";
import { quietDatabase } from "./quiet-database.ts";
import { SleepingWorkers } from "./sleeping-workers.ts";

const db = quietDatabase();

async function transactionsWhileAsleep(ms: number, count = 1): Promise<number> {
  const { transactions } = await costOf(db, async () => {
    const workers = new SleepingWorkers(db, count);
    await workers.start();
    await workers.pass(ms);
    await workers.stop();
  });
  return transactions;
}

test("an idle worker makes at most 70 transactions a minute, heartbeats aside", async () => {
  const toStartAndStop = await transactionsWhileAsleep(0);
  const withAMinute = await transactionsWhileAsleep(60_000);
  // 30 looks, 12 upkeeps, 12 looks at the schedules, 4 foldings and 2 signs of life of the listening connection.
  expect(withAMinute - toStartAndStop).toBeLessThanOrEqual(70);
});

test("five idle workers together look as often as one alone, and each does its share of the upkeep", async () => {
  const toStartAndStop = await transactionsWhileAsleep(0, 5);
  const withAMinute = await transactionsWhileAsleep(60_000, 5);
  // 30 looks, some 15 upkeeps, 15 looks at the schedules, 4 foldings and 10 signs of life.
  expect(withAMinute - toStartAndStop).toBeLessThanOrEqual(105);
});
