import type { StageWait } from "../../api/contract.ts";

/** Of what waits, what has waited longest. */
export function oldestWait(waits: readonly StageWait[]): StageWait | null {
  return waits.reduce<StageWait | null>(
    (oldest, wait) => (oldest === null || wait.oldestPendingAt < oldest.oldestPendingAt ? wait : oldest),
    null,
  );
}

/** Clocks that disagree never make it negative. */
export function waitedMs({ oldestPendingAt }: Pick<StageWait, "oldestPendingAt">, now: Date): number {
  return Math.max(0, now.getTime() - Date.parse(oldestPendingAt));
}
