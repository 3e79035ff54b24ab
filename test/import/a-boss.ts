import { onTestFinished } from "vitest";
import { peerLibrary } from "./peer-library.ts";

/** As much of pg-boss as is used here. */
export interface Boss {
  on(event: "error", listener: () => void): void;
  start(): Promise<unknown>;
  stop(options: { graceful: boolean }): Promise<void>;
  createQueue(queue: string, options?: { policy: string }): Promise<void>;
  send(queue: string, data: object, options?: object): Promise<string | null>;
  insert(queue: string, jobs: readonly { data: object }[]): Promise<unknown>;
  fetch(queue: string, options?: { batchSize: number }): Promise<{ id: string }[]>;
  fail(queue: string, id: string): Promise<unknown>;
  complete(queue: string, id: string): Promise<unknown>;
  schedule(queue: string, cron: string, data?: object, options?: object): Promise<void>;
  work<Data>(queue: string, options: object, run: (jobs: { data: Data }[]) => Promise<void>): Promise<string>;
  offWork(queue: string, options: { wait: boolean }): Promise<void>;
}

interface Library {
  readonly PgBoss: new (options: object) => Boss;
}

/** A real pg-boss that does nothing by itself; it ends with the test. */
export async function aBoss(url: string, queues: readonly string[] = ["email"]): Promise<Boss> {
  const { PgBoss } = await peerLibrary<Library>("pg-boss");
  const boss = new PgBoss({ connectionString: url, supervise: false, schedule: false });
  boss.on("error", () => {});
  await boss.start();
  onTestFinished(() => boss.stop({ graceful: false }));
  for (const queue of queues) await boss.createQueue(queue);
  return boss;
}
