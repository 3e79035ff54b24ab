/** One reason why a job is not running: a word, a sentence, and what the sentence says in numbers. */
export interface Reason {
  readonly reason: string;
  readonly explanation: string;
  readonly detail: ReasonDetail;
}

/** What is known of the reason; each has its own few. */
export interface ReasonDetail {
  /** How many jobs of its stage come before it, counted up to 10,000. */
  readonly ahead?: number;
  readonly isMoreAhead?: boolean;
  /** Live workers that serve its stage. */
  readonly workers?: number;
  /** How many attempts of its stage ended per minute recently; null when none did. */
  readonly endedPerMinute?: number | null;
  /** When it should start, judged by that; null when that is unknown. */
  readonly startsAt?: Date | null;
  readonly dueAt?: Date;
  readonly pausedAt?: Date;
  readonly requestedAt?: Date;
  readonly endedAt?: Date;
  readonly workerId?: string;
  readonly claimedAt?: Date;
  readonly runningMs?: number;
  readonly losses?: number;
  /** Of a wait: the name to signal, since when it waits, and when it times out; of a sleep, when it is over. */
  readonly signal?: string;
  readonly beganAt?: Date;
  readonly endsAt?: Date;
  readonly [more: string]: unknown;
}

export interface ReasonRow {
  reason: string;
  explanation: string;
  detail: Record<string, unknown>;
}

export function reasonOf({ reason, explanation, detail }: ReasonRow): Reason {
  const entries = Object.entries(detail).map(([name, value]) => [
    name,
    // JSON has no instants; ours are named as such.
    name.endsWith("At") && typeof value === "string" ? new Date(value) : value,
  ]);
  return { reason, explanation, detail: Object.fromEntries(entries) };
}
