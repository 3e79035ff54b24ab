import { PgBoss } from "pg-boss";
import { onTestFinished } from "vitest";

/** A real pg-boss that does nothing by itself; it ends with the test. */
export async function aBoss(url: string, queues: readonly string[] = ["email"]): Promise<PgBoss> {
  const boss = new PgBoss({ connectionString: url, supervise: false, schedule: false });
  boss.on("error", () => {});
  await boss.start();
  onTestFinished(() => boss.stop({ graceful: false }));
  for (const queue of queues) await boss.createQueue(queue);
  return boss;
}
