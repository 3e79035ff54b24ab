import { useQuery } from "@tanstack/react-query";
import type { Worker } from "../../api/contract.ts";
import { workersQuery } from "../../api/workers-api.ts";

/**
 * After how long a running job that was asked to stop is cancelled anyway. Any worker that sweeps does that, so the least of their
 * settings counts. Null if no live worker has told its own.
 */
export function cancelGraceOf(workers: readonly Pick<Worker, "isAlive" | "report">[]): number | null {
  const told = workers
    .filter(({ isAlive }) => isAlive)
    .map(({ report }) => (report as { times?: { cancelGraceMs?: unknown } } | null)?.times?.cancelGraceMs)
    .filter((ms) => typeof ms === "number");
  return told.length === 0 ? null : Math.min(...told);
}

export function useCancelGraceMs(): number | null {
  return cancelGraceOf(useQuery(workersQuery).data ?? []);
}
