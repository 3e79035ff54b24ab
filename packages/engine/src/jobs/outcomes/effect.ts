/**
 * `running` now; `unknown`: it may have happened; `stopped`: it was tried and did not happen; `done`: it has happened.
 */
export type EffectState = "running" | "unknown" | "stopped" | "done";

/** What the ledger says of one effect of a job. */
export interface Effect {
  readonly key: string;
  readonly state: EffectState;
  readonly idempotencyKey: string;
  /** How often it was begun. */
  readonly starts: number;
  /** Of the latest start. */
  readonly startedAt: Date;
  readonly endedAt: Date | null;
  /** What it returned; null also when that was nothing. */
  readonly value: unknown;
  /** What it has spent, by the names of budgets. */
  readonly spent: Readonly<Record<string, number>>;
}
