import type { Worker } from "../../api/contract.ts";

export type WorkerState = "live" | "late" | "lost";

const lateAfterMs = 15_000;

/** By the lease, as the database judges it; late when a heartbeat is missing but the lease still holds. */
export function workerState(
  worker: Pick<Worker, "isAlive" | "heartbeatAt" | "leaseUntil">,
  now: Date,
): WorkerState {
  if (!worker.isAlive || Date.parse(worker.leaseUntil) < now.getTime()) return "lost";
  return now.getTime() - Date.parse(worker.heartbeatAt) > lateAfterMs ? "late" : "live";
}

/** How long it has been up. Nobody knows how long a lost one ran after it was last heard of. */
export function upMs(
  worker: Pick<Worker, "isAlive" | "startedAt" | "heartbeatAt" | "leaseUntil">,
  now: Date,
): number {
  const untilMs = workerState(worker, now) === "lost" ? Date.parse(worker.heartbeatAt) : now.getTime();
  return untilMs - Date.parse(worker.startedAt);
}

const weight: Record<WorkerState, number> = { lost: 0, late: 1, live: 2 };

/** Trouble first, then by name, so that nobody jumps about. */
export function inOrder(workers: readonly Worker[], now: Date): Worker[] {
  return [...workers].sort(
    (one, other) =>
      weight[workerState(one, now)] - weight[workerState(other, now)] ||
      one.name.localeCompare(other.name, "en", { numeric: true }) ||
      one.workerId.localeCompare(other.workerId),
  );
}
