import { expect, test } from "vitest";
import { costOf } from "./cost-of.ts";
import { quietDatabase } from "./quiet-database.ts";
import { SleepingWorkers } from "./sleeping-workers.ts";

const db = quietDatabase();

async function transactionsWhileAsleep(ms: number): Promise<number> {
  const { transactions } = await costOf(db, async () => {
    const workers = new SleepingWorkers(db, 1);
    await workers.start();
    await workers.pass(ms);
    await workers.stop();
  });
  return transactions;
}

test("an idle worker makes at most 75 transactions a minute, heartbeats aside", async () => {
  const toStartAndStop = await transactionsWhileAsleep(0);
  const withAMinute = await transactionsWhileAsleep(60_000);
  // 30 looks, 12 sweeps, 12 foldings, 12 looks at the schedules and 4 signs of life of the listening connection.
  expect(withAMinute - toStartAndStop).toBeLessThanOrEqual(75);
});
