import type { Engine, Kept, Retention } from "lockstep";
import type { HealthCheck } from "../contract/health.ts";
import { healthCheck } from "./health-check.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
// It is due every hour. One that was left out, or met a table in use, is made up for by the next.
const graceMs = 2 * hourMs;

/**
 * Whether retention runs, and what it has left. `keep` is for how long the workers are to keep it; null where that is not
 * known: a server without a worker has settings of its own, by which nobody drops anything.
 */
export function retentionChecks(retention: Retention, keep: Engine["retention"] | null): HealthCheck[] {
  const { ranMs, completed, unsuccessful, events, streams } = retention;
  return [
    healthCheck({
      check: "last retention run ms",
      value: ranMs,
      threshold: dayMs,
      advice: "Expired history is not being dropped: a worker does that every hour, so start one.",
    }),
    keptCheck("completed jobs kept ms", completed, keep?.keepCompletedDays ?? null),
    keptCheck("failed and cancelled jobs kept ms", unsuccessful, keep?.keepFailedDays ?? null),
    keptCheck("events kept ms", events, keep?.keepEventsDays ?? null),
    keptCheck("streams kept ms", streams, keep?.keepEventsDays ?? null),
  ];
}

function keptCheck(
  check: string,
  { since, ageMs, estimatedRows, heldTables }: Kept,
  keepDays: number | null,
): HealthCheck {
  // A day goes as a whole, when its last moment is old enough.
  const mostMs = keepDays === null ? null : (keepDays + 1) * dayMs;
  const rows = `Rows: about ${estimatedRows.toLocaleString("en-US")}`;
  const from = since === null ? "" : `, since ${dayOf(since)} (UTC)`;
  const until =
    since === null || mostMs === null
      ? ""
      : `; that day is dropped on ${dayOf(new Date(since.getTime() + mostMs))}`;
  const held =
    heldTables === 0
      ? ""
      : ` Days that could not be dropped: ${heldTables}, since a session holds them; lockstep doctor says which.`;
  return healthCheck({
    check,
    value: ageMs,
    threshold: mostMs === null ? null : mostMs + graceMs,
    advice:
      "They should have been dropped: a transaction that reads them may be in the way; lockstep doctor names it.",
    detail: `${rows}${from}${until}.${held}`,
  });
}

function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10);
}
