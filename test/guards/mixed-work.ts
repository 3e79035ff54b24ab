import { randomUUID } from "node:crypto";
import type { TestDatabase } from "@lockstep/test-support";
import { definePipeline, giveUp, retryLater, snooze } from "lockstep";
import { addJobs } from "./counted-work.ts";

const ways = ["done", "retry", "snooze", "give up"];
const snoozed = new Set<string>();

/** Takes every way that an attempt can end. */
export const mixed = definePipeline<string>("mixed")
  .stage("first", ({ payload, attempt }) => {
    if (payload === "retry" && attempt === 1) return retryLater({ afterMs: 1 });
    return payload === "give up" ? giveUp("It is of no use.") : 1;
  })
  .stage("second", ({ payload, jobId }) => {
    if (payload !== "snooze" || snoozed.has(jobId)) return 2;
    snoozed.add(jobId);
    return snooze({ forMs: 1 });
  });

/** Takes every way that an add can go: with owners, with ids of the caller's own, and twins. Three of four complete. */
export async function addMixedJobs(db: TestDatabase, count: number): Promise<void> {
  const items = Array.from({ length: count }, (_, index) => ({
    payload: ways[index % ways.length] ?? "done",
    priority: 1 + (index % 19),
    owner: index % 3 === 0 ? `owner ${index % 10}` : undefined,
    dedupKey: index % 5 === 0 ? `key ${index}` : undefined,
    id: index % 7 === 0 ? randomUUID() : undefined,
  }));
  await addJobs(db, mixed, items);
  await addJobs(
    db,
    mixed,
    items.filter(({ dedupKey }) => dedupKey !== undefined),
  );
}

/** Jobs that wait in line, less urgent than the mixed ones, and jobs for tomorrow. */
export async function addBacklog(
  db: TestDatabase,
  { inLine, forTomorrow }: { readonly inLine: number; readonly forTomorrow: number },
): Promise<void> {
  const scheduledFor = new Date(Date.now() + 86_400_000);
  const waiting = Array.from({ length: inLine }, () => ({ payload: "done", priority: 20 }));
  const scheduled = Array.from({ length: forTomorrow }, () => ({ payload: "done", scheduledFor }));
  await addJobs(db, mixed, waiting);
  await addJobs(db, mixed, scheduled);
}
