/** One of the long runs. */
export interface LongSuite {
  readonly name: string;
  /** What it does and when it passes, for the report. */
  readonly sentence: string;
  readonly run: (order: SuiteOrder) => Promise<SuiteOutcome>;
}

export interface SuiteOrder {
  readonly seed: number;
  readonly minutes: number;
  /** Told what goes on. */
  readonly tell: (sentence: string) => void;
}

export interface SuiteOutcome {
  readonly figures: Readonly<Record<string, number>>;
  /** One sentence each; none when it passes. */
  readonly failures: readonly string[];
  /** The command that runs the first failed part again, else the last part. */
  readonly replay: string;
}

/** The command that runs one round of a suite again, without a report. */
export function replayOf(name: string, seed: number): string {
  return `npm run test:long -- --only ${name} --seed ${seed} --replay`;
}
