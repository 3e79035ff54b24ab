/** The health of a worker; reported every `healthIntervalMs`. */
export interface HealthReport {
  readonly workerId: string;
  /** One sentence for each thing that is wrong; none means all is well. */
  readonly problems: readonly string[];
  readonly stages: readonly StageHealth[];
}

/** What the processors of one stage do in this worker. */
export interface StageHealth {
  readonly pipeline: string;
  readonly stage: string;
  /** Jobs claimed and waiting in the JobQueue. */
  readonly waiting: number;
  readonly idle: number;
  readonly busy: number;
  readonly error: number;
  /** Processors that have been at one job for longer than `stuckAfterMs`. */
  readonly stuck: readonly StuckProcessor[];
}

/** A processor that has been at one job for longer than `stuckAfterMs`. */
export interface StuckProcessor {
  readonly processor: number;
  readonly jobId: string;
  readonly busyForMs: number;
}
