import type { HistoryStep } from "../../api/contract.ts";

export interface SummedStep {
  readonly at: Date;
  readonly added: number;
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly waitP95Ms: number | null;
  readonly runP95Ms: number | null;
}

/** The steps of several stages, one for each moment: counts are added, of times the longest stands. */
export function summedHistory(steps: readonly HistoryStep[], first: ReadonlySet<string>): SummedStep[] {
  const moments = new Map<string, SummedStep>();
  for (const step of steps) {
    const before = moments.get(step.at);
    moments.set(step.at, {
      at: new Date(step.at),
      // Only the first stage's arrivals are new; the others come from the stage before.
      added: (before?.added ?? 0) + (first.has(step.stage) ? step.entered : 0),
      completed: (before?.completed ?? 0) + step.completed,
      failed: (before?.failed ?? 0) + step.failed,
      cancelled: (before?.cancelled ?? 0) + step.cancelled,
      waitP95Ms: longer(before?.waitP95Ms, step.waitP95Ms),
      runP95Ms: longer(before?.runP95Ms, step.runP95Ms),
    });
  }
  return [...moments.values()].sort((one, other) => one.at.getTime() - other.at.getTime());
}

/** Per minute over the last whole steps, without the one that is still filling. */
export function ratePerMinute(values: readonly number[], stepMs: number, overMs = 300_000): number {
  const count = Math.max(1, Math.round(overMs / stepMs));
  const recent = values.slice(0, -1).slice(-count);
  if (recent.length === 0) return 0;
  return (recent.reduce((total, value) => total + value, 0) / (recent.length * stepMs)) * 60_000;
}

function longer(one: number | null | undefined, other: number | null): number | null {
  if (one === null || one === undefined) return other;
  return other === null ? one : Math.max(one, other);
}
