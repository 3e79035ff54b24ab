/** How a run goes. With the seed it tells the whole story, as far as the machine repeats itself. */
export interface ChaosOptions {
  readonly seed: number;
  /** The run's faults go on at least so long, and until there were so many. */
  readonly seconds: number;
  readonly faults: number;
  /** Which faults are dealt out, by name; each as often as it is named. */
  readonly kinds: readonly string[];
  readonly workers: number;
  readonly apis: number;
  /** Everything is measured in leases. On a machine that is busy with other things it is as much longer as that needs. */
  readonly leaseMs: number;
  /** Jobs that are not finished, at any time: few enough that a freed one is claimed at once. */
  readonly liveJobs: number;
  /** Proof that the faults bit: a run with fewer refused words of stale claims, for each fault, fails. */
  readonly refusals: number;
  /** So many of the jobs that lost their worker, of one, must be claimed again within the bound. */
  readonly promptShare: number;
  /** Lead the workers through PgBouncer in transaction mode. */
  readonly pooler: boolean;
}

/** Mostly those that take jobs from their worker; a blocked event loop and a full memory cost the machine most. */
export const mixedProcessFaults = [
  ...["kill", "kill", "kill", "freeze", "freeze", "freeze", "freeze"],
  ...["leave", "leave", "memory", "block"],
];

export const defaultOptions: Omit<ChaosOptions, "seed"> = {
  seconds: 20,
  faults: 100,
  kinds: mixedProcessFaults,
  workers: 6,
  apis: 2,
  leaseMs: 1_000,
  liveJobs: 60,
  refusals: 0.3,
  promptShare: 0.999,
  pooler: false,
};

/** The command that runs the same again. */
export function replayCommand(options: ChaosOptions): string {
  const differing = Object.entries(options).filter(
    ([name, value]) => String(value) !== String({ ...defaultOptions, seed: null }[name as "seed"]),
  );
  const words = differing.map(([name, value]) => (value === true ? `--${name}` : `--${name} ${value}`));
  return `npm run chaos -- ${words.join(" ")}`;
}
