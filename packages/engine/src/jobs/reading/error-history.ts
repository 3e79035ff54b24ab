/** How many jobs failed with a kind of error, step by step. A job that is retried or removed leaves the count. */
export interface ErrorHistory {
  readonly fingerprint: string;
  /** When the first step begins. */
  readonly beginsAt: Date;
  /** A number for each step; null before the newest 10,000 failures, which are all that is looked at. */
  readonly jobs: readonly (number | null)[];
}

/** Which failures are counted, from when to when, and in which steps. */
export interface ErrorHistoryFilter {
  readonly pipeline?: string | undefined;
  /** Only this kind of error. With its pipeline, there is an answer even if no job has failed with it. */
  readonly fingerprint?: string | undefined;
  /** A day before `to`, by default. */
  readonly from?: Date | undefined;
  /** Now, by default. */
  readonly to?: Date | undefined;
  /** An hour, by default; at least a minute. */
  readonly stepMs?: number | undefined;
}
