import type { Reader } from "lockstep";
import type { HealthCheck } from "../contract/health.ts";
import { healthCheck } from "./health-check.ts";

interface ServerState {
  readonly database: Awaited<ReturnType<Reader["databaseHealth"]>>;
  readonly notifyLagMs: number | null;
  readonly eventLagMs: number | null;
}

const lateMs = 250;
const skewedMs = 2_000;
// As `diagnose` has them: fewer dead rows than this, or than live ones, slow nothing down.
const manyDeadRows = 50_000;
const longOpenMs = 300_000;
// Streams read four times a second, and once a second after a read that failed.
const farBehindMs = 5_000;

/** How PostgreSQL stands, and how soon this process hears of what happens there. */
export function serverChecks({ database, notifyLagMs, eventLagMs }: ServerState): HealthCheck[] {
  return [
    healthCheck({
      check: "notify lag ms",
      value: notifyLagMs,
      threshold: lateMs,
      advice: "Wake-ups come late, and jobs wait for them: check the load of PostgreSQL and of this process.",
    }),
    healthCheck({
      check: "event log lag ms",
      value: eventLagMs,
      threshold: farBehindMs,
      advice: "Events reach their readers late: check the load of PostgreSQL and of this process.",
    }),
    healthCheck({
      check: "clock skew ms",
      value: Math.abs(database.clockAheadMs),
      threshold: skewedMs,
      advice: "The clocks of PostgreSQL and of this machine differ: synchronise both with a time server.",
    }),
    healthCheck({
      check: "dead rows",
      value: database.deadRows,
      threshold: Math.max(manyDeadRows, database.liveRows),
      advice: "Vacuum does not keep up with the jobs: lockstep doctor says what holds it back.",
    }),
    healthCheck({
      check: "oldest transaction ms",
      value: database.oldestTransactionMs,
      threshold: longOpenMs,
      advice: "It holds back vacuum: lockstep doctor names the session that has to end it.",
    }),
  ];
}
